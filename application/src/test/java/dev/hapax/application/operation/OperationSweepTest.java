package dev.hapax.application.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.operation.OperationSweep.Swept;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.ForgetOperation;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.ledger.SteeredLedger;
import dev.hapax.testkit.operation.Caller;
import dev.hapax.testkit.operation.InMemoryOperationReads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperationSweepTest {
  private static final Duration TTL = Duration.ofHours(1);
  private final SettableClock clock = new SettableClock();
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final OperationSweep sweep = sweep(ledger);

  private OperationSweep sweep(Ledger through) {
    return new OperationSweep(new InMemoryOperationReads(ledger, clock), through);
  }

  private void release(int number) {
    for (var i = 0; i < number; i++) {
      var caller = Caller.of("request-" + i).ttl(TTL);
      var begun = (BeginOutcome.Acquired) ledger.submit(caller.begin("attempt")).join();
      ledger.submit(Caller.failRetryable(begun.claim())).join();
    }
  }

  @Test
  @DisplayName(
      "a full sweep says that there may be more, and the next ones remove the rest " + "[I7]")
  void keepsUp() {
    release(OperationSweep.AT_MOST + 1);
    assertThat(sweep.run().join()).isEqualTo(new Swept(0, true));
    clock.advance(TTL);

    assertThat(sweep.run().join()).isEqualTo(new Swept(OperationSweep.AT_MOST, false));
    assertThat(sweep.run().join()).isEqualTo(new Swept(1, true));
    assertThat(ledger.records()).isEmpty();
  }

  @Test
  @DisplayName("given an operation expires before those already removed, then it is removed, too")
  void beginsAgain() {
    release(OperationSweep.AT_MOST);
    clock.advance(TTL);
    assertThat(sweep.run().join().complete()).isFalse();
    var late = Caller.of("late").ttl(Duration.ofMinutes(1));
    clock.advance(Duration.ofMinutes(-30));
    var begun = (BeginOutcome.Acquired) ledger.submit(late.begin("attempt")).join();
    clock.advance(Duration.ofMinutes(30));
    ledger.submit(Caller.failRetryable(begun.claim())).join();

    assertThat(sweep.run().join().complete()).isTrue();
    assertThat(sweep.run().join()).isEqualTo(new Swept(1, true));
  }

  @Test
  @DisplayName("removals run in small batches, and a page without removals ends the sweep")
  void bounded() {
    release(OperationSweep.AT_MOST);
    clock.advance(TTL);
    var blocked = new Blocked();
    var swept = sweep(blocked).run();

    assertThat(blocked.removals).hasSize(OperationSweep.AT_ONCE);
    while (!swept.isDone()) {
      var removals = List.copyOf(blocked.removals);
      blocked.removals.clear();
      removals.forEach(removal -> removal.complete(false));
    }
    assertThat(swept.join().removed()).isZero();
  }

  @Test
  @DisplayName("given a removal fails, then the other operations are removed")
  void poison() {
    release(OperationSweep.AT_MOST + 1);
    clock.advance(TTL);
    var refusing = new SteeredLedger(ledger);
    refusing.refuseNext(new LedgerException.Defective("no decision", new ArithmeticException()));
    var sweep = sweep(refusing);

    assertThat(sweep.run().join()).isEqualTo(new Swept(OperationSweep.AT_MOST - 1, false));
    assertThat(sweep.run().join()).isEqualTo(new Swept(2, true));
    assertThat(ledger.records()).isEmpty();
  }

  @Test
  @DisplayName(
      "given all removals fail, then the sweep fails and the next one starts from the beginning")
  void unavailable() {
    release(OperationSweep.AT_ONCE + 1);
    clock.advance(TTL);
    var refusing = new SteeredLedger(ledger);
    for (var i = 0; i < OperationSweep.AT_ONCE; i++) {
      refusing.refuseNext(new LedgerException.Unavailable("away"));
    }
    var sweep = sweep(refusing);

    assertThat(sweep.run()).isCompletedExceptionally();
    assertThat(refusing.submitted()).isEqualTo(OperationSweep.AT_ONCE);
    assertThat(sweep.run().join()).isEqualTo(new Swept(OperationSweep.AT_ONCE + 1, true));
  }

  /** Removes when the test completes the removal. */
  private static final class Blocked implements Ledger {
    private final List<CompletableFuture<Boolean>> removals = new ArrayList<>();

    @Override
    @SuppressWarnings("unchecked") // the outcome of a ForgetOperation
    public <O> CompletableFuture<O> submit(Command<O> command) {
      assertThat(command).isInstanceOf(ForgetOperation.class);
      var removal = new CompletableFuture<Boolean>();
      removals.add(removal);
      return (CompletableFuture<O>) removal;
    }

    @Override
    public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {}

    @Override
    public void onRemoteCommit(Runnable listener) {}
  }
}
