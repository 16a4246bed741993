package dev.hapax.application.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.operation.Caller;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Many callers wait for one key. */
class WaitingBeginsTest {
  private static final int WAITERS = 50;
  private static final Duration WAIT = Duration.ofSeconds(30);
  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final InMemoryLedger memory = new InMemoryLedger(clock);
  private final SteeredLedger ledger = new SteeredLedger(memory);
  private final Operations operations =
      new Operations(ledger, new InMemoryOperationReads(memory, clock), new WaiterQuota(), timer);
  private final Caller caller = Caller.of("request");
  private final OperationClaim holder =
      claim(operations.begin(caller.begin("holder"), Duration.ZERO));
  private final List<CompletableFuture<BeginOutcome>> waiting =
      IntStream.range(0, WAITERS)
          .mapToObj(i -> operations.begin(caller.begin("waits " + i), WAIT))
          .toList();

  private static OperationClaim claim(CompletableFuture<BeginOutcome> begin) {
    assertThat(begin).isDone();
    return ((BeginOutcome.Acquired) begin.join()).claim();
  }

  private void fail(OperationClaim claim) {
    operations.submit(Caller.failRetryable(claim)).join();
  }

  private long answered() {
    return waiting.stream().filter(CompletableFuture::isDone).count();
  }

  @Test
  @DisplayName("given a retryable failure, then one of many waiters retries and acquires")
  void one() {
    var before = ledger.submitted();
    fail(holder);
    assertThat(answered()).isEqualTo(1);
    assertThat(claim(waiting.getFirst())).isNotNull();
    // the failure, the Begin, and the one that the commit of that Begin wakes
    assertThat(ledger.submitted() - before).isLessThanOrEqualTo(3);
  }

  @Test
  @DisplayName("given one failure after another, then each waiter acquires in turn")
  void inTurn() {
    var before = ledger.submitted();
    var claim = holder;
    for (var next : waiting) {
      assertThat(next).isNotDone();
      fail(claim);
      claim = claim(next);
    }
    assertThat(answered()).isEqualTo(WAITERS);
    assertThat(ledger.submitted() - before).isLessThanOrEqualTo(3 * WAITERS);
  }

  @Test
  @DisplayName("given a completion, then all waiters get the result")
  void all() {
    operations.submit(Caller.complete(holder)).join();
    timer.runDue();
    assertThat(waiting)
        .allSatisfy(
            begin ->
                assertThat(begin)
                    .isCompletedWithValueMatching(BeginOutcome.Replayed.class::isInstance));
  }

  @Test
  @DisplayName("given a woken waiter is cancelled during its attempt, then the next one retries")
  void cancelled() {
    ledger.holdCommands();
    var failure = operations.submit(Caller.failRetryable(holder));
    ledger.letGo();
    assertThat(failure).isDone();
    assertThat(ledger.held()).as("the try of the first").isEqualTo(1);

    var tries = ledger.submitted();
    waiting.get(7).cancel(false);
    timer.runDue();
    assertThat(ledger.submitted()).as("it was not woken").isEqualTo(tries);
    waiting.getFirst().cancel(false);
    timer.runDue();
    assertThat(ledger.submitted()).isEqualTo(tries + 1);
    waiting.get(1).cancel(false);
    timer.runDue();
    assertThat(ledger.submitted()).isEqualTo(tries + 2);
  }

  @Test
  @DisplayName("given the attempt of a woken waiter fails, then another one acquires")
  void failed() {
    ledger.holdCommands();
    var failure = operations.submit(Caller.failRetryable(holder));
    ledger.refuseNext(new LedgerException.Unavailable("away"));
    ledger.letGo();
    assertThat(failure).isDone();
    ledger.holdNothing();
    timer.runDue();

    assertThat(waiting.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(1);
    assertThat(waiting)
        .filteredOn(begin -> begin.isDone() && !begin.isCompletedExceptionally())
        .singleElement()
        .matches(begin -> begin.join() instanceof BeginOutcome.Acquired);
  }

  @Test
  @DisplayName("given an overloaded ledger, then the woken waiter retries")
  void overloaded() {
    ledger.holdCommands();
    var _ = operations.submit(Caller.failRetryable(holder));
    ledger.refuseNext(new LedgerException.Overloaded("test", Duration.ofMillis(100)));
    ledger.letGo();
    ledger.holdNothing();
    assertThat(answered()).isZero();
    timer.advance(Duration.ofMillis(100));
    assertThat(answered()).isEqualTo(1);
  }

  @Test
  @DisplayName("given waits end, then each returns once and no scheduled task is left")
  void over() {
    timer.advance(WAIT);
    assertThat(waiting)
        .allSatisfy(
            begin ->
                assertThat(begin)
                    .isCompletedWithValueMatching(BeginOutcome.InProgress.class::isInstance));
    timer.runDue();
    assertThat(timer.pending()).isZero();
  }
}
