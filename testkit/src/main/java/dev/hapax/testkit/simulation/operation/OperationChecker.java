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

/** Checks decisions against each key's {@link OperationStory}, and responses against decisions. */
final class OperationChecker implements HistoryObserver {
  /** The longest time of a decision without faults, including pending messages. */
  private static final Duration SLACK = Duration.ofSeconds(8);

  private final Trace trace;
  private final Map<OperationId, OperationStory> stories = new HashMap<>();
  private final IdentityHashMap<Command<?>, Decision> decided = new IdentityHashMap<>();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final List<Waiting> waiting = new ArrayList<>();

  /** The last decision of a command; a waiting command is decided repeatedly. */
  private record Decision(Object outcome, Instant at) {}

  private record Waiting(
      BeginOperation command, Instant since, CompletableFuture<BeginOutcome> answer) {}

  OperationChecker(Trace trace) {
    this.trace = trace;
  }

  private OperationStory story(OperationId id) {
    return stories.computeIfAbsent(id, _ -> new OperationStory(id, trace));
  }

  /** The number of decisions of each kind of outcome. */
  Map<String, Integer> counts() {
    return counts;
  }

  @Override
  public void decided(Command<?> command, Object outcome, Instant now) {
    decided.put(command, new Decision(outcome, now));
    counts.merge(OperationWords.kind(command, outcome), 1, Integer::sum);
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
    counts.merge("dropped", 1, Integer::sum);
    story((OperationId) key).removed(now);
  }

  @Override
  public void withoutFaults(Instant since, Instant now) {
    waiting.removeIf(call -> call.answer.isDone());
    waiting.forEach(call -> mustEndSoon(call, latest(call.since, since), now));
  }

  /**
   * Checks that a Begin returns soon after its holder's lease expires. A node that was not notified
   * of the last change of holders still waits for the previous lease.
   */
  private void mustEndSoon(Waiting call, Instant since, Instant now) {
    var story = story(call.command.id());
    var decision = decided.getOrDefault(call.command, new Decision("none yet", since));
    var from = latest(since, decision.at);
    if (decision.outcome instanceof BeginOutcome.InProgress held) {
      if (!story.isLast(held.holder().fence())) {
        return;
      }
      if (story.isHeld()) {
        // a node that was paused counts the lease from when it resumed
        from = latest(from, since.plus(held.leaseRemaining()));
      }
    }
    var free = story.freeSince(now);
    if (free.isPresent() && now.isAfter(latest(free.get(), from).plus(SLACK))) {
      trace.complain(
          call.command.id(), "a Begin waits for a holder whose lease expired at " + free.get());
    }
  }

  private static Instant latest(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  CompletableFuture<BeginOutcome> watch(
      BeginOperation command, Duration wait, CompletableFuture<BeginOutcome> answer) {
    var since = trace.now();
    waiting.add(new Waiting(command, since, answer));
    var _ = answer.thenAccept(outcome -> begun(command, outcome, since.plus(wait)));
    return answer;
  }

  private void begun(BeginOperation command, BeginOutcome outcome, Instant waitUntil) {
    var decision = decided.get(command);
    if (decision == null || !isSame(outcome, decision.outcome)) {
      trace.complain(
          command.id(), "the response was %s, but the decision %s".formatted(outcome, decision));
    }
    if (outcome instanceof BeginOutcome.InProgress && trace.now().isBefore(waitUntil)) {
      trace.complain(command.id(), "the wait was shorter than requested");
    }
  }

  /** Ignores the lease of a waiting call, which is measured by the local clock. */
  private static boolean isSame(BeginOutcome outcome, Object decided) {
    if (outcome instanceof BeginOutcome.Acquired one
        && decided instanceof BeginOutcome.Acquired other) {
      return one.claim().equals(other.claim());
    }
    return outcome.equals(decided);
  }

  <O> CompletableFuture<O> watch(Command<O> command, CompletableFuture<O> answer) {
    var _ =
        answer.thenAccept(
            outcome -> {
              var decision = decided.get(command);
              if (decision == null || !outcome.equals(decision.outcome)) {
                command
                    .keys()
                    .forEach(key -> trace.complain(key, "the response differs from the decision"));
              }
            });
    return answer;
  }

  @Override
  public String describe(Object what) {
    return OperationWords.of(what);
  }
}
