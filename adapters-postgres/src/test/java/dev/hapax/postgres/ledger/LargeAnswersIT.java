package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static dev.hapax.postgres.ledger.TestLedgers.together;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.Replay;
import dev.hapax.postgres.operation.OperationTable;
import dev.hapax.postgres.operation.ResultPartitions;
import dev.hapax.postgres.schema.SessionRoles;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LargeAnswersIT {
  private static final int ANSWERS = 40;
  private static final int BYTES = 200 * 1024;

  /** As in {@code SizeBoundedSelect}: behind so many, the rest is left for the next batch. */
  private static final long LOADED_AT_ONCE = 4L << 20;

  /** Counts what a load brings. */
  private static final class Counting extends OtherTable<OperationId, Operation> {
    private final AtomicInteger deferred = new AtomicInteger();
    private final AtomicLong largestLoad = new AtomicLong();

    Counting(RecordTable<OperationId, Operation> table) {
      super(table);
    }

    @Override
    public void lookUp(
        Pipeline pipeline, List<OperationId> absent, Loading<OperationId, Operation> loading) {
      var bytes = new AtomicLong();
      super.lookUp(
          pipeline,
          absent,
          new Loading<>() {
            @Override
            public void found(OperationId key, Operation operation) {
              largestLoad.accumulateAndGet(
                  bytes.addAndGet(result(operation.replay().orElseThrow()).length), Math::max);
              loading.found(key, operation);
            }

            @Override
            public void deferred(OperationId key) {
              deferred.incrementAndGet();
              loading.deferred(key);
            }
          });
    }
  }

  private static byte[] result(Replay replay) {
    return ((Payload.Binary) ((Replay.Result) replay).result().orElseThrow()).bytes();
  }

  private static byte[] answer(int number) {
    var answer = new byte[BYTES];
    new Random(number).nextBytes(answer);
    return answer;
  }

  @Test
  @DisplayName(
      "answers too large for one batch are loaded over several, each within its bound, and every caller gets its own")
  void answersOverSeveralBatches() {
    try (var ledgers = new TestLedgers()) {
      var partitions =
          new ResultPartitions(
              new MaintenanceConnections(ledgers.database().dataSource(), SessionRoles.LOGIN));
      var table = new Counting(new OperationTable(partitions));
      var ledger = ledgers.node(oneCommitter(), List.of(table, CounterTable.ALL.getFirst()));
      for (var i = 0; i < ANSWERS; i++) {
        var begun = await(ledger.submit(Operations.begin("large-" + i)));
        var claim = ((BeginOutcome.Acquired) begun).claim();
        await(ledger.submit(Operations.complete(claim, answer(i))));
      }
      var asked = new ArrayList<CompletableFuture<BeginOutcome>>();
      together(
          ledger,
          () -> {
            for (var i = 0; i < 2 * ANSWERS; i++) {
              asked.add(ledger.submit(Operations.begin("large-" + i % ANSWERS)));
            }
          });

      for (var i = 0; i < 2 * ANSWERS; i++) {
        var outcome = (BeginOutcome.Replayed) await(asked.get(i));
        assertThat(result(outcome.replay())).isEqualTo(answer(i % ANSWERS));
      }
      assertThat(table.deferred).hasPositiveValue();
      assertThat(table.largestLoad).hasValueGreaterThan(BYTES);
      assertThat(table.largestLoad).hasValueLessThanOrEqualTo(LOADED_AT_ONCE + BYTES);
    }
  }
}
