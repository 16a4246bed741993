package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.schema.SessionRoles;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The locks make it impossible; the guards would notice. */
class GuardedWritesIT {
  private static TestLedgers ledgers;
  private static OperationTable operations;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
    operations =
        new OperationTable(
            new ResultPartitions(
                new MaintenanceConnections(ledgers.database().dataSource(), SessionRoles.LOGIN)));
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  /** Once loads an older grant than the one that is stored. */
  private static final class Stale extends OtherTable<OperationId, Operation> {
    private final AtomicInteger loads = new AtomicInteger();

    Stale() {
      super(operations);
    }

    @Override
    public void lock(
        Pipeline pipeline, List<OperationId> keys, Loading<OperationId, Operation> loading) {
      var first = loads.getAndIncrement() == 0;
      super.lock(
          pipeline,
          keys,
          new Loading<>() {
            @Override
            public void found(OperationId key, Operation operation) {
              throw new AssertionError("the version of the row is missing");
            }

            @Override
            public void found(OperationId key, Operation operation, RowVersion version) {
              if (first) {
                loading.found(key, stale(operation), new RowVersion("3"));
              } else {
                loading.found(key, operation, version);
              }
            }

            @Override
            public void deferred(OperationId key) {
              loading.deferred(key);
            }
          });
    }

    private static Operation stale(Operation operation) {
      var held = (Operation.InProgress) operation;
      var grant = held.grant();
      return new Operation.InProgress(
          held.subject(),
          new Grant(
              grant.nonce(),
              new Fence(grant.fence().value() - 1),
              grant.attempt(),
              grant.account(),
              grant.at(),
              grant.expiresAt()),
          held.attemptId(),
          held.leaseUntil(),
          held.onStale());
    }
  }

  private static void isLost(String key, Function<OperationClaim, Command<?>> verb) {
    var other = ledgers.node(oneCommitter(), List.of(operations));
    var claim = ((BeginOutcome.Acquired) await(other.submit(Operations.begin(key)))).claim();
    var table = new Stale();
    var ledger = ledgers.node(oneCommitter(), List.of(table));
    var old = new OperationClaim(claim.id(), claim.nonce(), new Fence(claim.fence().value() - 1));

    assertThat((Object) await(ledger.submit(verb.apply(old))))
        .isInstanceOf(OperationClaimLost.class);
    assertThat(table.loads).hasValueGreaterThan(1);
  }

  @Test
  @DisplayName(
      "a row with a newer grant than the one loaded is not deleted by a completion: it is decided again")
  void delete() {
    isLost("stale-delete", claim -> Operations.complete(claim, new byte[1]));
  }

  @Test
  @DisplayName("a row with a newer grant than the one loaded is not updated: it is decided again")
  void update() {
    isLost("stale-update", Operations::release);
  }
}
