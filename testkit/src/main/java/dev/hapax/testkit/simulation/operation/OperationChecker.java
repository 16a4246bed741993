package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.ForgetOperation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.domain.operation.RenewOutcome;
import dev.hapax.domain.operation.ResolveOperation;
import dev.hapax.domain.operation.ResolveOutcome;
import dev.hapax.testkit.simulation.HistoryObserver;
import dev.hapax.testkit.simulation.Trace;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Holds what is decided against each key's {@link OperationStory}, and what is told against what
 * was decided.
 */
final class OperationChecker implements HistoryObserver {
  /** How long a decision may take where nothing goes wrong, what is still on its way included. */
  private static final Duration SLACK = Duration.ofSeconds(8);

  private final Trace trace;
  private final Map<OperationId, OperationStory> stories = new HashMap<>();
  private final IdentityHashMap<Command<?>, Decision> decided = new IdentityHashMap<>();
  private final Map<String, Integer> seen = new TreeMap<>();
  private final List<Waiting> waiting = new ArrayList<>();

  /** The last one of a command; who waits is decided again and again. */
  private record Decision(Object outcome, Instant at) {}

  private record Waiting(
      BeginOperation command, Instant since, CompletableFuture<BeginOutcome> answer) {}

  OperationChecker(Trace trace) {
    this.trace = trace;
  }

  private OperationStory story(OperationId id) {
    return stories.computeIfAbsent(id, _ -> new OperationStory(id, trace));
  }

  /** How often each kind of outcome was decided. */
  Map<String, Integer> seen() {
    return seen;
  }

  @Override
  public void decided(Command<?> command, Object outcome, Instant now) {
    decided.put(command, new Decision(outcome, now));
    seen.merge(OperationWords.kind(command, outcome), 1, Integer::sum);
    switch (command) {
      case BeginOperation c -> story(c.id()).begun(c, (BeginOutcome) outcome, now);
      case CompleteOperation c ->
          story(c.claim().id()).completed(c, (CompleteOutcome) outcome, now);
      case FailOperation c -> story(c.claim().id()).failed(c, (FailOutcome) outcome, now);
      case RenewOperation c -> story(c.claim().id()).renewed(c, (RenewOutcome) outcome, now);
      case ResolveOperation c -> story(c.id()).resolved(c, (ResolveOutcome) outcome, now);
      case ForgetOperation c when outcome.equals(true) -> story(c.id()).removed(now);
      default -> {}
    }
  }

  @Override
  public void removed(RecordKey<?> key, Instant now) {
    seen.merge("dropped", 1, Integer::sum);
    story((OperationId) key).removed(now);
  }

  @Override
  public void calm(Instant since, Instant now) {
    waiting.removeIf(call -> call.answer.isDone());
    waiting.forEach(call -> mustEndSoon(call, latest(call.since, since), now));
  }

  /**
   * When the holder it waits for is gone, a Begin is answered soon. One whose node has not heard of
   * the last change of holders goes by the lease of the holder before.
   */
  private void mustEndSoon(Waiting call, Instant since, Instant now) {
    var story = story(call.command.id());
    var decision = decided.getOrDefault(call.command, new Decision("none yet", since));
    var from = latest(since, decision.at);
    if (decision.outcome instanceof BeginOutcome.InProgress seen) {
      if (!story.isLast(seen.holder().fence())) {
        return;
      }
      if (story.isHeld()) {
        // a node that was stopped counts the lease from when it went on
        from = latest(from, since.plus(seen.leaseRemaining()));
      }
    }
    var free = story.freeSince(now);
    if (free.isPresent() && now.isAfter(latest(free.get(), from).plus(SLACK))) {
      trace.complain(
          call.command.id(), "somebody waits for a holder who is gone since " + free.get());
    }
  }

  private static Instant latest(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  CompletableFuture<BeginOutcome> watch(
      BeginOperation command, Duration patience, CompletableFuture<BeginOutcome> answer) {
    var since = trace.now();
    waiting.add(new Waiting(command, since, answer));
    var _ = answer.thenAccept(told -> begun(command, told, since.plus(patience)));
    return answer;
  }

  private void begun(BeginOperation command, BeginOutcome told, Instant patientUntil) {
    var decision = decided.get(command);
    if (decision == null || !isSame(told, decision.outcome)) {
      trace.complain(command.id(), "told %s, but decided was %s".formatted(told, decision));
    }
    if (told instanceof BeginOutcome.InProgress && trace.now().isBefore(patientUntil)) {
      trace.complain(command.id(), "did not wait as long as was asked for");
    }
  }

  /** The lease of one who waited is counted in the time of this machine. */
  private static boolean isSame(BeginOutcome told, Object decided) {
    if (told instanceof BeginOutcome.Acquired one
        && decided instanceof BeginOutcome.Acquired other) {
      return one.claim().equals(other.claim());
    }
    return told.equals(decided);
  }

  <O> CompletableFuture<O> watch(Command<O> command, CompletableFuture<O> answer) {
    var _ =
        answer.thenAccept(
            told -> {
              var decision = decided.get(command);
              if (decision == null || !told.equals(decision.outcome)) {
                command.keys().forEach(key -> trace.complain(key, "told what was not decided"));
              }
            });
    return answer;
  }

  @Override
  public String describe(Object what) {
    return OperationWords.of(what);
  }
}
