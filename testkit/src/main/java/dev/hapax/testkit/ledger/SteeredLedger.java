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
 * A ledger whose answers a test holds back, refuses or puts in another order. News of commits
 * always goes through at once.
 */
public final class SteeredLedger implements Ledger {
  private final Ledger ledger;
  private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();
  private final Queue<RuntimeException> refusals = new ConcurrentLinkedQueue<>();
  private final List<Runnable> foreignListeners = new CopyOnWriteArrayList<>();
  private final AtomicInteger submitted = new AtomicInteger();
  private final Map<Class<?>, RuntimeException> losses = new ConcurrentHashMap<>();
  private volatile Hold hold = Hold.NOTHING;
  private volatile boolean deaf;

  private enum Hold {
    NOTHING,
    COMMANDS,
    ANSWERS
  }

  public SteeredLedger(Ledger ledger) {
    this.ledger = ledger;
  }

  /** Commands are executed when they are let go, unless their callers cancelled them by then. */
  public void holdCommands() {
    hold = Hold.COMMANDS;
  }

  /** Commands are executed at once, answers come when they are let go. */
  public void holdAnswers() {
    hold = Hold.ANSWERS;
  }

  /** Holds nothing from now on; what was held stays until it is let go. */
  public void holdNothing() {
    hold = Hold.NOTHING;
  }

  /** Lets go what is held now, oldest first; what that brings about may be held again. */
  public void letGo() {
    for (var left = held.size(); left > 0; left--) {
      held.remove().run();
    }
  }

  public int held() {
    return held.size();
  }

  /** Fails the next command that nothing else has been said about. */
  public void refuseNext(RuntimeException with) {
    refusals.add(with);
  }

  /** Executes the next of these commands, and fails it nevertheless. */
  public void loseNext(Class<? extends Command<?>> commands, RuntimeException with) {
    losses.put(commands, with);
  }

  /** Hears of no commit of others from now on. */
  public void hearNothing() {
    deaf = true;
  }

  /** How many commands came. */
  public int submitted() {
    return submitted.get();
  }

  /** As if another node had committed. */
  public void commitElsewhere() {
    foreignListeners.forEach(Runnable::run);
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
  public void onForeignCommit(Runnable listener) {
    foreignListeners.add(listener);
    ledger.onForeignCommit(
        () -> {
          if (!deaf) {
            listener.run();
          }
        });
  }
}
