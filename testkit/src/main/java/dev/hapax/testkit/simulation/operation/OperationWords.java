package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.CompleteOutcome;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.FailOutcome;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationClaimLost;
import dev.hapax.domain.operation.RenewOperation;
import dev.hapax.domain.operation.ResolveOperation;
import dev.hapax.domain.operation.ResolveOutcome;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;

/** Formats commands and outcomes for traces. */
final class OperationWords {
  private OperationWords() {}

  static String format(String format, Object... what) {
    return format.formatted(Arrays.stream(what).map(OperationWords::of).toArray());
  }

  static String of(Object what) {
    return switch (what) {
      case BeginOperation c ->
          "Begin by %s for %s, request %s, lease %s, ttl %s, %s"
              .formatted(
                  brief(c.attemptId().hash()),
                  c.key().account(),
                  brief(c.fingerprint().hash()),
                  c.lease(),
                  c.ttl(),
                  c.onStale());
      case CompleteOperation c ->
          "Complete %s with %s, account after %s"
              .formatted(claim(c.claim()), c.result(), c.accountAfter());
      case FailOperation c -> "Fail %s, %s".formatted(claim(c.claim()), c.verdict());
      case RenewOperation c -> "Renew %s for %s".formatted(claim(c.claim()), c.lease());
      case ResolveOperation c -> "Resolve %s, %s".formatted(c.request().id(), c.verdict());
      case BeginOutcome.Acquired o -> kind(o) + " " + claim(o.claim()) + ", attempt " + o.attempt();
      case BeginOutcome.InProgress o -> "in progress by fence " + o.holder().fence().value();
      case BeginOutcome.Indeterminate o -> "indeterminate, fence " + o.inDoubt().fence().value();
      case OperationClaimLost o ->
          "claim lost" + o.standing().map(s -> " to " + s.state() + " " + s.grant()).orElse("");
      default -> what.toString();
    };
  }

  static String claim(OperationClaim claim) {
    return String.format(Locale.ROOT, "%d/%04x", claim.fence().value(), claim.nonce() & 0xffff);
  }

  private static String brief(UUID hash) {
    return hash.toString().substring(0, 4);
  }

  /** The kind by which an outcome is counted. */
  static String kind(Command<?> command, Object outcome) {
    return command.getClass().getSimpleName() + ": " + kind(outcome);
  }

  private static String kind(Object outcome) {
    return switch (outcome) {
      case BeginOutcome.Acquired o when o.reentrant() -> "re-entered";
      case BeginOutcome.Acquired o when o.reclaimed() -> "reclaimed";
      case BeginOutcome.Acquired _ -> "acquired";
      case CompleteOutcome.Completed o when o.already() -> "already";
      case FailOutcome.Failed o when o.already() -> "already";
      case ResolveOutcome.Resolved o when o.already() -> "already";
      case OperationClaimLost o when o.standing().isEmpty() -> "lost, no record";
      case OperationClaimLost o -> "lost to " + o.standing().get().state();
      case Boolean removed -> removed.toString();
      default -> outcome.getClass().getSimpleName();
    };
  }
}
