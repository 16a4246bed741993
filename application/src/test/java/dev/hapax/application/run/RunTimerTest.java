package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.limit.EnterStep;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.AdvanceDueRun;
import dev.hapax.domain.run.GrantReadyTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.StartOutcome;
import dev.hapax.domain.run.StartRun;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node that has not made the runs itself, and whose clock is not the database's. */
class RunTimerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private final SettableClock database = new SettableClock();
  private final ManualScheduler scheduler = new ManualScheduler(database);
  private final CountingLedger ledger = new CountingLedger(new InMemoryLedger(database));
  private final InMemoryRunReads reads = new InMemoryRunReads(ledger.ledger(), database);

  /** Counts how often a run is advanced. */
  private record CountingLedger(InMemoryLedger ledger, AtomicInteger looks) implements Ledger {
    private static final int TOO_MANY = 100_000;

    CountingLedger(InMemoryLedger ledger) {
      this(ledger, new AtomicInteger());
    }

    @Override
    public <O> CompletableFuture<O> submit(Command<O> command) {
      if (command instanceof GrantReadyTask<?>(EnterStep<?>(AdvanceDueRun _, _, _), _, _)
          && looks.incrementAndGet() > TOO_MANY) {
        throw new AssertionError("the timer spins");
      }
      return ledger.submit(command);
    }

    @Override
    public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
      ledger.onChanges(listener);
    }

    @Override
    public void onRemoteCommit(Runnable listener) {}
  }

  /** A node whose clock is ahead of the database's by this much. */
  private void startNode(Duration ahead) {
    new RunServices(
            ledger,
            reads,
            new WaiterQuota(),
            () -> database.instant().plus(ahead),
            () -> 1,
            scheduler)
        .start();
    scheduler.runDue();
  }

  /** Runs of another node that wait for a timer. */
  private List<RunId> waiting(int number, Duration time) {
    return IntStream.range(0, number).mapToObj(n -> waiting(new UUID(7, n), time)).toList();
  }

  private RunId waiting(UUID id, Duration time) {
    return started(id, House.timer("pause", time), RunTimeouts.NONE);
  }

  private RunId started(UUID id, StepDefinition step, RunTimeouts timeouts) {
    var workspace = new Workspace("timers");
    var definition =
        new Definition(
            new DefinitionId(workspace, "timers", "1"), List.of(step), database.instant());
    var started =
        ledger
            .submit(
                new StartRun(
                    new RunId(workspace, id),
                    definition,
                    false,
                    new RunParameters(new Payload.Json("{}"), Map.of(), Optional.empty(), timeouts),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Actor.caller("test")))
            .join();
    return ((StartOutcome.Created) started).run().id();
  }

  private RunStatus status(RunId id) {
    return reads.find(id).join().map(Run::status).orElseThrow();
  }

  @Test
  @DisplayName("given a clock that is ahead, 2,000 runs that are not due yet are left alone")
  void ahead() {
    var runs = waiting(2_000, Duration.ofSeconds(30));
    startNode(Duration.ofMinutes(1));
    scheduler.advance(Duration.ofSeconds(29));
    assertThat(ledger.looks()).hasValue(0);

    scheduler.advance(SECOND.multipliedBy(2));
    assertThat(runs).allMatch(run -> status(run) == RunStatus.COMPLETED);
    assertThat(ledger.looks()).hasValueLessThan(5_000);
  }

  @Test
  @DisplayName("given a clock that is behind, a run of another node goes on in time")
  void behind() {
    var run = waiting(1, Duration.ofSeconds(8)).getFirst();
    startNode(Duration.ofMinutes(-1));
    scheduler.advance(Duration.ofMillis(7_900));
    assertThat(status(run)).isEqualTo(RunStatus.WAITING);
    scheduler.advance(Duration.ofMillis(300));
    assertThat(status(run)).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("given runs that wait for days, this node keeps nothing of them in memory")
  void far() {
    var due = new DueRunTimes();
    var dispatch = new PolledQueues(reads, database, scheduler);
    var routes = new RunDispatcher(ledger, reads, database, due, dispatch, () -> 1);
    var far = waiting(100, Duration.ofDays(30));
    far.forEach(run -> routes.onRunChanged(reads.find(run).join().orElseThrow()));
    assertThat(due.size()).isZero();
    var near = waiting(new UUID(8, 1), SECOND);
    routes.onRunChanged(reads.find(near).join().orElseThrow());
    assertThat(due.size()).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "given deadlines, runs of another node fail at them, also in a queue [turns-T3, turns-T5]")
  void deadlines() {
    var second = Optional.of(SECOND.multipliedBy(8));
    var none = Optional.<Duration>empty();
    var queued = started(new UUID(7, 1), House.task("work"), new RunTimeouts(second, none));
    var timer = House.timer("pause", Duration.ofDays(1));
    var waiting = started(new UUID(7, 2), timer, new RunTimeouts(none, second));
    startNode(Duration.ZERO);
    scheduler.advance(Duration.ofMillis(7_900));
    assertThat(status(queued)).isEqualTo(RunStatus.PENDING);
    assertThat(status(waiting)).isEqualTo(RunStatus.WAITING);
    scheduler.advance(Duration.ofMillis(300));
    assertThat(status(queued)).isEqualTo(RunStatus.FAILED);
    assertThat(status(waiting)).isEqualTo(RunStatus.FAILED);
  }

  @Test
  @DisplayName("given the start of a run, this node watches its next deadline, whatever its phase")
  void watched() {
    var due = new DueRunTimes();
    var dispatch = new PolledQueues(reads, database, scheduler);
    var routes = new RunDispatcher(ledger, reads, database, due, dispatch, () -> 1);
    var soon = new RunTimeouts(Optional.of(SECOND), Optional.empty());
    var run = started(new UUID(7, 1), House.task("work"), soon);
    routes.onRunChanged(reads.find(run).join().orElseThrow());
    assertThat(due.take(database.instant(), 1)).isEmpty();
    assertThat(due.take(database.instant().plus(SECOND), 1)).containsExactly(run);
  }

  @Test
  @DisplayName("given 3,500 timers of other nodes due at one moment, all go on within a second")
  void burst() {
    var runs = waiting(3_500, Duration.ofSeconds(8));
    startNode(Duration.ZERO);
    scheduler.advance(Duration.ofMillis(7_900));
    scheduler.advance(SECOND);
    assertThat(runs).allMatch(run -> status(run) == RunStatus.COMPLETED);
  }
}
