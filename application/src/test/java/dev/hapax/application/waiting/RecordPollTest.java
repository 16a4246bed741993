package dev.hapax.application.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.RecordPoll.Next;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.operation.Caller;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What its users do not show: attempts that throw, and commits that are published late. */
class RecordPollTest {
  private static final Duration WAIT = Duration.ofMinutes(1);
  private static final OperationId ID = Caller.of("request").begin("id").id();

  private final ManualScheduler timer = new ManualScheduler(new SettableClock());
  private final WaiterQuota places = new WaiterQuota();
  private final Waiters<OperationId> waiters = new Waiters<>(places);
  private final Queue<Boolean> changed = new ArrayDeque<>();
  private final RecordPoll<OperationId, Boolean> poll =
      new RecordPoll<>(
          ID, waiters, timer, _ -> CompletableFuture.completedFuture(read()), Next::answerIf);

  private boolean read() {
    var next = changed.poll();
    if (next == null) {
      throw new RejectedExecutionException("stopped");
    }
    return next;
  }

  @Test
  @DisplayName("given a first attempt that throws, then the poll fails and frees its place")
  void first() {
    assertFailed(poll.start(WAIT));
  }

  @Test
  @DisplayName("given an attempt after a change that throws, then the poll fails, and others wake")
  void afterChange() {
    changed.add(false);
    var failing = poll.start(WAIT);
    var other =
        new RecordPoll<>(
                ID, waiters, timer, _ -> CompletableFuture.completedFuture(true), Next::answerIf)
            .start(WAIT, () -> CompletableFuture.completedFuture(false));

    waiters.wake(List.of(ID));

    assertThat(other).isCompletedWithValue(true);
    assertFailed(failing);
  }

  @Test
  @DisplayName(
      "given a commit from before the last attempt, published late, then the poll waits on")
  void late() {
    var found =
        new RecordPoll.Written<>(
            record -> record == null ? 0 : (Integer) record, Integer::longValue);
    var odd =
        new RecordPoll<OperationId, Integer>(
                ID,
                waiters,
                timer,
                _ -> CompletableFuture.completedFuture(2),
                number -> Next.answerIf(number % 2 == 1))
            .withoutReading(found)
            .start(WAIT);

    waiters.written(Map.of(ID, new Batch.Change(null, 1)));
    assertThat(odd).isNotDone();
    waiters.written(Map.of(ID, new Batch.Change(null, 3)));
    assertThat(odd).isCompletedWithValue(3);
  }

  private void assertFailed(CompletableFuture<Boolean> answer) {
    assertThat(answer)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(RejectedExecutionException.class);
    assertThat(places.size()).isZero();
    assertThat(timer.pending()).isZero();
  }
}
