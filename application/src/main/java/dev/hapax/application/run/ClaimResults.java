package dev.hapax.application.run;

import dev.hapax.application.run.ClaimCandidate.Attempted;
import dev.hapax.domain.run.ClaimTaskOutcome.Claimed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * What came of the claims of one poll.
 *
 * @param pause how long the poll waits before it claims again; zero if no claim failed
 */
record ClaimResults(List<Claimed> granted, Duration pause) {
  ClaimResults {
    granted = List.copyOf(granted);
  }

  /** The results of claims that never fail, once all are decided. Routes the runs they found. */
  static CompletableFuture<ClaimResults> of(
      List<CompletableFuture<Attempted>> claims, RunDispatcher routes) {
    return CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
        .thenApply(_ -> of(claims.stream().map(CompletableFuture::join), routes));
  }

  private static ClaimResults of(Stream<Attempted> claims, RunDispatcher routes) {
    var granted = new ArrayList<Claimed>();
    var pause = Duration.ZERO;
    for (var attempted : claims.toList()) {
      if (attempted.outcome() == null) {
        pause = attempted.pause().compareTo(pause) > 0 ? attempted.pause() : pause;
      } else {
        routes.saw(attempted.outcome());
      }
      if (attempted.outcome() instanceof Claimed claimed) {
        granted.add(claimed);
      }
    }
    return new ClaimResults(granted, pause);
  }
}
