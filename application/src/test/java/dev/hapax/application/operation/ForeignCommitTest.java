package dev.hapax.application.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Page;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationReads;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.operation.Caller;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A Begin waits on this node for what another node ends. */
class ForeignCommitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final Ledger elsewhere = new InMemoryLedger(clock);
  private final ThisNode here = new ThisNode(elsewhere, new ArrayList<>());
  private final Reads reads = new Reads();
  private final Operations operations = new Operations(here, reads, new WaiterQuota(), timer);
  private final Caller caller = Caller.of("request");

  /** Notified of remote commits when the test says so. */
  private record ThisNode(Ledger shared, List<Runnable> listeners) implements Ledger {
    @Override
    public <O> CompletableFuture<O> submit(Command<O> command) {
      return shared.submit(command);
    }

    @Override
    public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {}

    @Override
    public void onRemoteCommit(Runnable listener) {
      listeners.add(listener);
    }

    void signal() {
      listeners.forEach(Runnable::run);
    }
  }

  /** Reports all operations as ended, or fails. */
  private static final class Reads implements OperationReads {
    private boolean fails;
    private int looks;

    @Override
    public CompletableFuture<Set<OperationId>> ended(Set<OperationId> held) {
      looks++;
      return fails
          ? CompletableFuture.failedFuture(new LedgerException.Unavailable("away"))
          : CompletableFuture.completedFuture(held);
    }

    @Override
    public CompletableFuture<Optional<Operation>> find(OperationId id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Page<Listed, Position>> list(Query query) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<List<Forgotten>> forgotten(Instant from, int atMost) {
      throw new UnsupportedOperationException();
    }
  }

  /** A Begin that waits here while the holder completes elsewhere. */
  private CompletableFuture<BeginOutcome> waitWhileItEnds() {
    var held = (BeginOutcome.Acquired) elsewhere.submit(caller.begin("holder")).join();
    var waiting = operations.begin(caller.begin("waits"), Duration.ofSeconds(30));
    elsewhere.submit(Caller.complete(held.claim())).join();
    assertThat(waiting).isNotDone();
    return waiting;
  }

  @Test
  @DisplayName(
      "given a remote commit, then a waiting Begin returns as soon as this node is notified")
  void told() {
    var waiting = waitWhileItEnds();

    here.signal();

    assertThat(waiting).isCompletedWithValueMatching(BeginOutcome.Replayed.class::isInstance);
  }

  @Test
  @DisplayName("given a failed query, then it is retried, once for many notifications")
  void looksAgain() {
    var waiting = waitWhileItEnds();
    reads.fails = true;
    here.signal();
    here.signal();
    timer.advance(SECOND);
    assertThat(reads.looks).isEqualTo(2);

    reads.fails = false;
    timer.advance(SECOND);

    assertThat(waiting).isCompletedWithValueMatching(BeginOutcome.Replayed.class::isInstance);
    assertThat(reads.looks).isEqualTo(3);
    timer.advance(SECOND);
    assertThat(reads.looks).isEqualTo(3);
    assertThat(timer.pending()).isZero();
  }
}
