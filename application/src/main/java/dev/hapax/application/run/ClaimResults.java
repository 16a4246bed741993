package dev.hapax.application.run;

import dev.hapax.application.run.ClaimCandidate.ClaimAttempt;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The results of the claims of one poll.
 *
 * @param pause before the poll claims again; zero if no claim failed
 */
record ClaimResults(List<Claimed> granted, Duration pause) {
  ClaimResults {
    granted = List.copyOf(granted);
  }

  /** Collects the results once all claims are decided, and dispatches the runs that they found. */
  static CompletableFuture<ClaimResults> of(
      List<CompletableFuture<ClaimAttempt>> claims, RunDispatcher dispatcher) {
    return CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
        .thenApply(_ -> of(claims.stream().map(CompletableFuture::join), dispatcher));
  }

  private static ClaimResults of(Stream<ClaimAttempt> claims, RunDispatcher dispatcher) {
    var granted = new ArrayList<Claimed>();
    var pause = Duration.ZERO;
    for (var attempt : claims.toList()) {
      if (attempt.outcome() == null) {
        pause = attempt.pause().compareTo(pause) > 0 ? attempt.pause() : pause;
      } else {
        dispatcher.onClaimDecided(attempt.outcome());
      }
      if (attempt.outcome() instanceof Claimed claimed) {
        granted.add(claimed);
      }
    }
    return new ClaimResults(granted, pause);
  }
}
