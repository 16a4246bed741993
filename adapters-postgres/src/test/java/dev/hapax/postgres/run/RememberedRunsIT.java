package dev.hapax.postgres.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.definition.Definition;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.ClaimTask;
import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.CompleteTask;
import dev.hapax.domain.run.CompleteTaskOutcome;
import dev.hapax.domain.run.ControlOutcome;
import dev.hapax.domain.run.ControlRun;
import dev.hapax.domain.run.HeartbeatOutcome;
import dev.hapax.domain.run.HeartbeatTask;
import dev.hapax.domain.run.ReleaseTask;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunChange;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.StartRun;
import dev.hapax.domain.run.TaskClaim;
import dev.hapax.domain.run.TaskLost;
import dev.hapax.postgres.definition.DefinitionCache;
import dev.hapax.postgres.ledger.DatabaseClock;
import dev.hapax.postgres.ledger.Pipeline;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.ledger.RecordMemory;
import dev.hapax.postgres.ledger.RecordTable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node decides on runs that it remembers, and nothing that another session does gets lost. */
@Tag("long")
class RememberedRunsIT {
  private static final Definition DEFINITION =
      RunSamples.definition(
          "remembered",
          new StepDefinition.Task(RunSamples.work("q")),
          new StepDefinition.Task(RunSamples.work("q")));

  private final RunNodes nodes = new RunNodes(1);
  private final Loaded loaded = new Loaded();
  private final PostgresLedger node = nodes.node(loaded);
  private final RunId id = RunSamples.newRun();

  /** Notes which runs are loaded. */
  private static final class Loaded implements RecordTable<RunId, Run> {
    private final RunTable table = new RunTable(new DefinitionCache(), new DatabaseClock());
    private final List<RunId> ids = new CopyOnWriteArrayList<>();

    @Override
    public Class<RunId> keys() {
      return table.keys();
    }

    @Override
    public Comparator<RunId> lockOrder() {
      return table.lockOrder();
    }

    @Override
    public Optional<RecordMemory<RunId, Run>> memory() {
      return table.memory();
    }

    @Override
    public void lock(Pipeline pipeline, List<RunId> keys, Loading<RunId, Run> loading) {
      ids.addAll(keys);
      table.lock(pipeline, keys, loading);
    }

    @Override
    public void insert(Pipeline pipeline, List<Write<RunId, Run>> writes) {
      table.insert(pipeline, writes);
    }

    @Override
    public void hold(Pipeline pipeline, List<Held<RunId>> rows) {
      table.hold(pipeline, rows);
    }

    @Override
    public boolean changesInOrder(List<Write<RunId, Run>> writes) {
      return table.changesInOrder(writes);
    }

    @Override
    public void change(Pipeline pipeline, List<Write<RunId, Run>> writes) {
      table.change(pipeline, writes);
    }
  }

  /** Creates a run unless it exists, with an id that the command names as new. */
  private record Create(Run run) implements Command<Boolean> {
    @Override
    public Workspace workspace() {
      return run.id().workspace();
    }

    @Override
    public Collection<? extends RecordKey<?>> keys() {
      return List.of(run.id());
    }

    @Override
    public Collection<? extends RecordKey<?>> newKeys() {
      return keys();
    }

    @Override
    public Urgency urgency() {
      return Urgency.START;
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public Boolean decide(BatchRecords records, Instant now) {
      if (records.get(run.id()).isPresent()) {
        return false;
      }
      records.put(run.id(), run);
      return true;
    }
  }

  @BeforeEach
  void start() {
    nodes.run(RunNodes.write(DEFINITION.id(), DEFINITION));
    run(
        new StartRun(
            id,
            DEFINITION,
            new Payload.Json("1"),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Actor.caller("")));
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private <O> O run(Command<O> command) {
    return answer(node.submit(command));
  }

  private static <O> O answer(CompletableFuture<O> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  private ClaimTask claimTask(long nonce) {
    return new ClaimTask(id, "q", "worker", Optional.empty(), nonce, PrincipalName.NONE);
  }

  private TaskClaim claim(ClaimTaskOutcome outcome) {
    return claim(((ClaimTaskOutcome.Claimed) outcome).run());
  }

  private TaskClaim claim(Run run) {
    var grant = run.held().orElseThrow().grant();
    return new TaskClaim(id, run.position().step(), grant.nonce(), grant.fence());
  }

  private static CompleteTask complete(TaskClaim claim, OptionalLong next) {
    return new CompleteTask(
        claim,
        Optional.of(new Payload.Json("2")),
        Optional.empty(),
        List.of(),
        false,
        next,
        PrincipalName.NONE);
  }

  private void awaitLockWait() {
    var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    var waiting =
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%hapax.run%'""";
    while (nodes.database().query(waiting).equals("0")) {
      assertThat(System.nanoTime()).as("the batch never waited").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private List<Class<?>> history() {
    return nodes.runs().events(id, 1, 20).join().items().stream()
        .<Class<?>>map(event -> event.change().getClass())
        .toList();
  }

  @Test
  @DisplayName("a run that a worker of this node holds is not loaded, and neither is a new one")
  void notLoaded() {
    var first = claim(run(claimTask(1)));
    assertThat(loaded.ids).containsExactly(id);
    run(new HeartbeatTask(first, Duration.ofMinutes(5)));
    var next = run(complete(first, OptionalLong.of(2)));
    var second = claim(((CompleteTaskOutcome.Completed) next).run());

    var last = run(complete(second, OptionalLong.empty()));

    assertThat(((CompleteTaskOutcome.Completed) last).run().status())
        .isEqualTo(RunStatus.COMPLETED);
    assertThat(loaded.ids).containsExactly(id);
    assertThat(history())
        .containsExactly(
            RunChange.StepStarted.class,
            RunChange.StepCompleted.class,
            RunChange.StepStarted.class,
            RunChange.StepCompleted.class,
            RunChange.RunCompleted.class);
  }

  @Test
  @DisplayName("what is remembered equals what is loaded")
  void sameRun() {
    var claimed = claim(run(claimTask(1)));
    var next = run(complete(claimed, OptionalLong.of(2)));

    var remembered = run(RunNodes.read(id));

    assertThat(loaded.ids).containsExactly(id);
    assertThat(remembered).isEqualTo(nodes.run(RunNodes.read(id)));
    assertThat(remembered).isEqualTo(((CompleteTaskOutcome.Completed) next).run().with(List.of()));
  }

  @Test
  @DisplayName("a remembered run that another node has cancelled is decided on as it is stored")
  void cancelledElsewhere() {
    var claimed = claim(run(claimTask(1)));
    var cancel =
        new ControlRun(id, ControlRun.Verb.CANCEL, "", OptionalLong.empty(), Actor.caller(""));
    assertThat(nodes.run(cancel)).isInstanceOf(ControlOutcome.Applied.class);

    assertThat(run(complete(claimed, OptionalLong.empty()))).isInstanceOf(TaskLost.class);

    assertThat(loaded.ids).containsExactly(id, id);
    assertThat(history())
        .containsExactly(RunChange.StepStarted.class, RunChange.RunCancelled.class);
  }

  @Test
  @DisplayName("an outcome that would change nothing is decided on the stored run, too")
  void grantedElsewhere() {
    var first = claim(run(claimTask(1)));
    nodes.run(new ReleaseTask(first, Duration.ZERO, PrincipalName.NONE));
    var second = claim(nodes.run(claimTask(2)));

    // by what this node remembers, the second grant does not exist
    var renewed = run(new HeartbeatTask(second, Duration.ofMinutes(5)));

    assertThat(renewed).isInstanceOf(HeartbeatOutcome.Renewed.class);
    assertThat(loaded.ids).containsExactly(id, id);
  }

  @Test
  @DisplayName("a run that changes while the batch waits to write it is decided again")
  void changedMeanwhile() throws Exception {
    var claimed = claim(run(claimTask(1)));
    CompletableFuture<CompleteTaskOutcome> completed;
    try (var other = nodes.database().dataSource().getConnection();
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("UPDATE hapax.run SET until = until + interval '1 hour'");
      completed = node.submit(complete(claimed, OptionalLong.of(2)));
      awaitLockWait();
      other.commit();
    }

    assertThat(answer(completed)).isInstanceOf(CompleteTaskOutcome.Completed.class);
    assertThat(loaded.ids).containsExactly(id, id);
    assertThat(history()).hasSize(3);
  }

  @Test
  @DisplayName("a batch that waits for a row out of order gives up, and locks in order then")
  void lockedForLong() throws Exception {
    var claimed = claim(run(claimTask(1)));
    CompletableFuture<CompleteTaskOutcome> completed;
    try (var other = nodes.database().dataSource().getConnection();
        var statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT FROM hapax.run FOR UPDATE");
      completed = node.submit(complete(claimed, OptionalLong.of(2)));
      var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (loaded.ids.size() < 2) {
        assertThat(System.nanoTime()).as("the batch was never repeated").isLessThan(end);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
      other.rollback();
    }

    var second = claim(((CompleteTaskOutcome.Completed) answer(completed)).run());
    assertThat(history()).hasSize(3);

    // no record was outdated, so the next one is remembered
    run(complete(second, OptionalLong.empty()));
    assertThat(loaded.ids).containsExactly(id, id);
    assertThat(history()).hasSize(5);
  }

  @Test
  @DisplayName("after the sessions of the database have ended, a held run is loaded")
  void sessionsEnded() {
    var claimed = claim(run(claimTask(1)));
    assertThat(nodes.database().killConnections()).isPositive();

    assertThat(run(complete(claimed, OptionalLong.empty())))
        .isInstanceOf(CompleteTaskOutcome.Completed.class);
    // loaded again on each of at most two connections of the pool that have ended, and on a new one
    assertThat(loaded.ids).hasSizeBetween(2, 4).containsOnly(id);
  }

  @Test
  @DisplayName("a record that exists although its key was said to be new is found")
  void existsAfterAll() {
    var run = nodes.run(RunNodes.read(id));

    assertThat(run(new Create(run))).isFalse();

    assertThat(nodes.run(RunNodes.read(id))).isEqualTo(run);
  }
}
