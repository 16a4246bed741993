package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.MoveMethod;
import dev.hapax.domain.cell.MoveStep;
import dev.hapax.domain.cell.WorkspaceMove;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Workspaces move between two cells for an hour, or for {@code -Dhapax.soak} minutes, while
 * servers, movers and sessions are killed and servers are stopped. Each key and each step is
 * checked against all that callers and workers learned.
 */
@Tag("fault")
@Tag("soak")
class CellsSoakIT {
  private static final int MINUTES = Integer.getInteger("hapax.soak", 60);
  private static final int SERVERS = 3;
  private static final int KEYS_AT_ONCE = 30;
  private static final int RIVALS = 3;

  /** There and back. */
  private static final int MOVES = 2;

  private static final int RUNS_A_MOVE = 40;

  /** A killed server may hold a move up for a minute; then it is repeated. */
  private static final Duration LONGEST_MOVE = Duration.ofMinutes(5);

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final CellDatabases cells = CellDatabases.create();
  private final Deployment deployment = Deployment.of(cells);
  private final List<HapaxProcess> servers = new ArrayList<>(List.of(deployment.server()));
  private final List<String> targets = new CopyOnWriteArrayList<>(List.of(deployment.target()));
  private final List<Tenant> tenants = new CopyOnWriteArrayList<>();

  /** Held during each harm, and while the results are read. */
  private final Lock peace = new ReentrantLock();

  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger moves = new AtomicInteger();
  private final AtomicInteger brokenMoves = new AtomicInteger();
  private final AtomicInteger harms = new AtomicInteger();

  /** A workspace, its clients on all servers, and what they learned. */
  private record Tenant(RunCaller runs, List<Caller> callers, History history) {
    static Tenant of(List<String> targets) {
      var runs = RunCaller.to(targets.getFirst());
      var callers = targets.stream().map(runs.caller()::via).toList();
      return new Tenant(runs, new CopyOnWriteArrayList<>(callers), new History());
    }

    String workspace() {
      return runs.workspace();
    }

    void replace(int number, String target) {
      callers.set(number, runs.caller().via(target)).close();
    }

    /** Starts clients that compete for new keys until this returns true. */
    CompletableFuture<Void> compete(BooleanSupplier isOver) {
      var rivals = new Rivals(callers, history);
      return CompletableFuture.runAsync(
          () -> rivals.compete(1, KEYS_AT_ONCE, RIVALS, isOver), Thread::startVirtualThread);
    }

    void requireOnce() {
      assertThat(history.violations()).isEmpty();
      for (var key : history.keys()) {
        assertThat(callers.getFirst().get(key).getResult().getJson())
            .isEqualTo(history.result(key));
      }
    }

    void close() {
      callers.forEach(Caller::close);
      runs.close();
    }
  }

  @AfterEach
  void close() {
    tenants.forEach(Tenant::close);
    deployment.close();
  }

  private static ThreadLocalRandom random() {
    return ThreadLocalRandom.current();
  }

  private Tenant tenant() {
    var tenant = Tenant.of(targets);
    tenants.add(tenant);
    return tenant;
  }

  // servers

  private void harmAll() {
    while (!isOverAfter(1_000 + random().nextInt(5_000))) {
      peace.lock();
      try {
        harm(random().nextInt(SERVERS));
      } finally {
        peace.unlock();
      }
      harms.incrementAndGet();
    }
  }

  /** Harms a server or the sessions of a cell. */
  private void harm(int victim) {
    switch (random().nextInt(9)) {
      case 0, 1 -> stop(victim);
      case 2 -> cells.first().killConnections();
      case 3 -> cells.second().killConnections();
      case 4 -> stopSecondCell();
      case 5 -> moveTables();
      default -> {
        assertThat(servers.get(victim).isAlive()).as("it has not ended by itself").isTrue();
        servers.get(victim).kill9();
        add(victim);
      }
    }
  }

  private boolean isOverAfter(int millis) {
    try {
      return over.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private void stop(int victim) {
    servers.get(victim).stop();
    try {
      var _ = isOverAfter(500 + random().nextInt(5_000));
    } finally {
      servers.get(victim).cont();
    }
  }

  private void stopSecondCell() {
    if (!cells.isCitus()) {
      cells.second().allowConnections(false);
      cells.second().disconnectAll();
      var _ = isOverAfter(500 + random().nextInt(5_000));
      cells.second().allowConnections(true);
    }
  }

  private void moveTables() {
    if (cells.isCitus()) {
      cells.moveTables();
    }
  }

  private void add(int number) {
    var server = deployment.add();
    var target = server.awaitReady();
    if (number == servers.size()) {
      servers.add(server);
      targets.add(target);
      return;
    }
    servers.set(number, server);
    targets.set(number, target);
    tenants.forEach(tenant -> tenant.replace(number, target));
  }

  // moves

  private CellName cellOf(String workspace) throws SQLException, IOException {
    return cells.directory().cellOf(new Workspace(workspace));
  }

  /** Moves a workspace to its other cell; the mover is killed and run again. */
  private void move(String workspace) throws SQLException, IOException {
    var source = cellOf(workspace);
    var target = source.equals(CellName.DEFAULT) ? CellDatabases.SECOND : CellName.DEFAULT;
    var method =
        cells.isCitus() || random().nextBoolean() ? MoveMethod.COPY : MoveMethod.REPLICATION;
    var move =
        new WorkspaceMove(new Workspace(workspace), source, target, method, MoveStep.COPYING);
    var kill = KilledMover.at(1 + random().nextInt(60));
    var end = System.nanoTime() + LONGEST_MOVE.toNanos();
    do {
      try {
        cells.mover(move, _ -> {}, kill).run();
      } catch (KilledMover | SQLException | IOException e) {
        // also a server that was killed before it has reported its cells
        brokenMoves.incrementAndGet();
        System.out.println("cells: " + e);
        assertThat(System.nanoTime()).as("%s ends", move).isLessThan(end);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } while (isUnderWay(source, workspace));
    moves.incrementAndGet();
  }

  private boolean isUnderWay(CellName source, String workspace) throws SQLException, IOException {
    return cellOf(workspace).equals(source) || !cells.moves().isEmpty();
  }

  /** A new workspace with operations and runs moves there and back. */
  private void useOne() throws Exception {
    var tenant = tenant();
    var hasMoved = new AtomicBoolean();
    var rivals = tenant.compete(hasMoved::get);
    var all = RUNS_A_MOVE * (MOVES + 1);
    try (var runs = RunLoad.allowed(all, tenant.runs())) {
      for (var i = 0; i < MOVES; i++) {
        runs.use(targets.toArray(String[]::new));
        runs.allow(RUNS_A_MOVE);
        move(tenant.workspace());
      }
      hasMoved.set(true);
      rivals.join();
      peace.lock();
      try {
        runs.use(targets.toArray(String[]::new));
        runs.allow(RUNS_A_MOVE);
        tenant.requireOnce();
        runs.finish();
      } finally {
        peace.unlock();
      }
    }
    assertThat(cellOf(tenant.workspace())).isEqualTo(CellName.DEFAULT);
    assertThat(CellDatabases.rows(cells.second(), tenant.workspace())).isZero();
    tenants.remove(tenant);
    tenant.close();
  }

  @Test
  @DisplayName(
      "given kill loops over three servers, when workspaces move there and back again and again,"
          + " then nothing is lost or done twice")
  void hour() throws Exception {
    while (servers.size() < SERVERS) {
      add(servers.size());
    }
    var staying = tenant();
    cells.place(staying.workspace());
    var stayingLoad = staying.compete(() -> over.getCount() == 0);
    var harm = CompletableFuture.runAsync(this::harmAll, Thread::startVirtualThread);
    var end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
    try {
      while (System.nanoTime() < end && !harm.isDone() && !stayingLoad.isDone()) {
        useOne();
        System.out.printf(
            "cells: %d moves, %d broken ones, %d harms%n",
            moves.get(), brokenMoves.get(), harms.get());
      }
    } finally {
      over.countDown();
      harm.join();
      stayingLoad.join();
    }
    staying.requireOnce();
    assertThat(CellDatabases.rows(cells.first(), staying.workspace())).isZero();
    assertThat(cells.first().query("SELECT count(*) FROM pg_replication_slots")).isEqualTo("0");
    assertThat(staying.history().takeOvers()).isPositive();
    assertThat(brokenMoves).hasPositiveValue();
  }
}
