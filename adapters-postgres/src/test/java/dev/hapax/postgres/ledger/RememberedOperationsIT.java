package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.schema.SessionRoles;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node decides on operations that it remembers, and sees what other nodes did to them. */
class RememberedOperationsIT {
  private static TestLedgers ledgers;
  private static ResultPartitions partitions;
  private Noted table;
  private PostgresLedger node;
  private PostgresLedger other;

  /** Notes which operations are loaded. */
  private static final class Noted extends OtherTable<OperationId, Operation> {
    private final OperationTable table;
    private final List<OperationId> loaded = new CopyOnWriteArrayList<>();

    Noted(OperationTable table) {
      super(table);
      this.table = table;
    }

    @Override
    public Optional<RecordMemory<OperationId, Operation>> memory() {
      return table.memory();
    }

    @Override
    public void lock(
        Pipeline pipeline, List<OperationId> keys, Loading<OperationId, Operation> loading) {
      loaded.addAll(keys);
      super.lock(pipeline, keys, loading);
    }

    @Override
    public void hold(Pipeline pipeline, List<Held<OperationId>> rows) {
      table.hold(pipeline, rows);
    }

    @Override
    public boolean changesInOrder(List<Write<OperationId, Operation>> writes) {
      return table.changesInOrder(writes);
    }
  }

  @BeforeAll
  static void open() {
    ledgers = new TestLedgers();
    partitions =
        new ResultPartitions(
            new MaintenanceConnections(ledgers.database().dataSource(), SessionRoles.LOGIN));
  }

  @AfterAll
  static void close() {
    ledgers.close();
  }

  @BeforeEach
  void start() {
    table = new Noted(new OperationTable(partitions));
    node = ledgers.node(oneCommitter(), List.of(table, CounterTable.counters()));
    other = ledgers.node(oneCommitter(), List.of(new OperationTable(partitions)));
  }

  private OperationClaim begin(String key) {
    return begin(node, key);
  }

  private static OperationClaim begin(PostgresLedger on, String key) {
    return ((BeginOutcome.Acquired) await(on.submit(Operations.begin(key)))).claim();
  }

  @Test
  @DisplayName("an operation that was begun on this node is not loaded to be completed")
  void notLoaded() {
    var claim = begin("completed");

    assertThat(await(node.submit(Operations.complete(claim, new byte[] {1}))))
        .isInstanceOf(CompleteOutcome.Completed.class);

    assertThat(table.loaded).isEmpty();
    assertThat(await(node.submit(Operations.begin("completed"))))
        .isInstanceOf(BeginOutcome.Replayed.class);
    assertThat(
            ledgers
                .database()
                .query(
                    "SELECT count(*) FROM hapax.operation WHERE id = '%s'"
                        .formatted(claim.id().hash())))
        .isEqualTo("0");
  }

  @Test
  @DisplayName("a rival is answered from memory, and the row is locked for it")
  void rival() {
    begin("rival");

    assertThat(await(node.submit(Operations.begin("rival"))))
        .isInstanceOf(BeginOutcome.InProgress.class);

    assertThat(table.loaded).isEmpty();
  }

  @Test
  @DisplayName("an operation that another node has completed is replayed")
  void completedElsewhere() {
    var claim = begin("elsewhere");
    await(other.submit(Operations.complete(claim, new byte[] {1})));

    assertThat(await(node.submit(Operations.begin("elsewhere"))))
        .isInstanceOf(BeginOutcome.Replayed.class);

    assertThat(table.loaded).containsExactly(claim.id());
  }

  @Test
  @DisplayName("an operation that another node has released and begun again is lost here")
  void begunElsewhere() {
    var claim = begin("again");
    assertThat(await(other.submit(Operations.release(claim))))
        .isInstanceOf(FailOutcome.Failed.class);
    assertThat(await(other.submit(Operations.begin("again"))))
        .isInstanceOf(BeginOutcome.Acquired.class);

    assertThat(await(node.submit(Operations.complete(claim, new byte[] {1}))))
        .isInstanceOf(OperationClaimLost.class);

    assertThat(table.loaded).containsExactly(claim.id());
  }

  @Test
  @DisplayName("a key that this node has not seen, but another one, is guessed wrong and loaded")
  void seenElsewhere() {
    var claim = begin(other, "running elsewhere");

    assertThat(await(node.submit(Operations.begin("running elsewhere"))))
        .isInstanceOf(BeginOutcome.InProgress.class);
    assertThat(table.loaded).containsExactly(claim.id());
  }

  @Test
  @DisplayName("a command that gives its key no record is no wrong guess [security-N12]")
  void rejected() {
    var rejected = new Rejected(Operations.begin("rejected"));
    assertThat(await(node.submit(rejected))).isTrue();
    assertThat(table.loaded).as("it is decided on what is stored").hasSize(1);
    table.loaded.clear();

    begin("after a rejection");

    assertThat(table.loaded).isEmpty();
  }

  /** A begin that is rejected. */
  private record Rejected(BeginOperation begin) implements Command<Boolean> {
    @Override
    public Workspace workspace() {
      return begin.workspace();
    }

    @Override
    public Collection<OperationId> keys() {
      return begin.keys();
    }

    @Override
    public Collection<OperationId> idempotencyKeys() {
      return begin.keys();
    }

    @Override
    public Urgency urgency() {
      return begin.urgency();
    }

    @Override
    public int size() {
      return begin.size();
    }

    @Override
    public Boolean decide(BatchRecords records, Instant now) {
      return true;
    }
  }

  @Test
  @DisplayName("an operation that another node has completed is no new one for this node")
  void endedElsewhere() {
    var claim = begin(other, "ended");
    await(other.submit(Operations.complete(claim, new byte[] {1})));

    assertThat(await(node.submit(Operations.begin("ended"))))
        .isInstanceOf(BeginOutcome.Replayed.class);
    assertThat(table.loaded).containsExactly(claim.id());
  }

  @Test
  @DisplayName("a user who locks rows in another order is not ended because of a deadlock")
  void otherOrder() throws Exception {
    var claims =
        Stream.of("one", "two")
            .map(this::begin)
            .sorted(Comparator.comparing(OperationClaim::id, table.lockOrder()))
            .toList();
    var completed = new ArrayList<CompletableFuture<CompleteOutcome>>();
    try (var user = ledgers.database().connect();
        var statement = user.createStatement()) {
      user.setAutoCommit(false);
      statement.execute(lock(claims.getLast()));
      TestLedgers.together(
          node,
          () ->
              claims.forEach(
                  claim -> completed.add(node.submit(Operations.complete(claim, new byte[] {1})))));
      TestLedgers.await("the batch waits", () -> ledgers.hasSession("wait_event_type = 'Lock'"));

      statement.execute(lock(claims.getFirst()));

      // the batch was repeated, and may have completed the first one before the user got its row
      assertThat(completed.getLast()).isNotDone();
      user.rollback();
    }
    assertThat(completed)
        .allSatisfy(
            answer -> assertThat(await(answer)).isInstanceOf(CompleteOutcome.Completed.class));
  }

  private static String lock(OperationClaim claim) {
    return "SELECT FROM hapax.operation WHERE id = '%s' FOR UPDATE".formatted(claim.id().hash());
  }
}
