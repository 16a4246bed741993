package dev.hapax.testkit.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A ledger whose outcomes a test can delay, fail or reorder. Notifications of commits always pass
 * at once.
 */
public final class SteeredLedger implements Ledger {
  private final Ledger ledger;
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private final Queue<RuntimeException> refusals = new ConcurrentLinkedQueue<>();
  private final List<Runnable> remoteListeners = new CopyOnWriteArrayList<>();
  private final AtomicInteger submitted = new AtomicInteger();
  private final Map<Class<?>, RuntimeException> losses = new ConcurrentHashMap<>();
  private volatile Hold hold = Hold.NOTHING;
  private volatile boolean muted;

  private enum Hold {
    NOTHING,
    COMMANDS,
    ANSWERS
  }

  public SteeredLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Delays commands until {@link #letGo}; cancelled ones are not executed. */
  public void holdCommands() {
    hold = Hold.COMMANDS;
  }

  /** Executes commands at once, and delays their outcomes until {@link #letGo}. */
  public void holdAnswers() {
    hold = Hold.ANSWERS;
  }

  /** Stops delaying; commands and outcomes held before stay until {@link #letGo}. */
  public void holdNothing() {
    hold = Hold.NOTHING;
  }

  /** Releases everything held now, oldest first; what follows from it may be held again. */
  public void letGo() {
    for (var left = held.size(); left > 0; left--) {
      held.remove().run();
    }
  }

  public int held() {
    return held.size();
  }

  /** Fails the next command without executing it. */
  public void refuseNext(RuntimeException with) {
    refusals.add(with);
  }

  /** Executes the next command of this type, but fails its future. */
  public void loseNext(Class<? extends Command<?>> commands, RuntimeException with) {
    losses.put(commands, with);
  }

  /** Suppresses notifications of commits by other nodes from now on. */
  public void hearNothing() {
    muted = true;
  }

  /** The number of submitted commands. */
  public int submitted() {
    return submitted.get();
  }

  /** Notifies listeners as if another node had committed. */
  public void commitElsewhere() {
    remoteListeners.forEach(Runnable::run);
  }

  @Override
  public <O> CompletableFuture<O> submit(Command<O> command) {
    submitted.incrementAndGet();
    var refusal = refusals.poll();
    if (refusal != null) {
      return CompletableFuture.failedFuture(refusal);
    }
    var loss = losses.remove(command.getClass());
    if (loss != null) {
      return ledger.submit(command).thenCompose(_ -> CompletableFuture.failedFuture(loss));
    }
    return switch (hold) {
      case NOTHING -> ledger.submit(command);
      case COMMANDS -> {
        var answer = new CompletableFuture<O>();
        held.add(
            () -> {
              if (!answer.isDone()) {
                passOn(ledger.submit(command), answer);
              }
            });
        yield answer;
      }
      case ANSWERS -> {
        var outcome = ledger.submit(command);
        var answer = new CompletableFuture<O>();
        held.add(() -> passOn(outcome, answer));
        yield answer;
      }
    };
  }

  private static <O> void passOn(CompletableFuture<O> outcome, CompletableFuture<O> answer) {
    var _ =
        outcome.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                answer.complete(value);
              } else {
                answer.completeExceptionally(failure);
              }
            });
  }

  @Override
  public void onChanges(Consumer<Map<RecordKey<?>, Batch.Change>> listener) {
    ledger.onChanges(listener);
  }

  @Override
  public void onRemoteCommit(Runnable listener) {
    remoteListeners.add(listener);
    ledger.onRemoteCommit(
        () -> {
          if (!muted) {
            listener.run();
          }
        });
  }
}
