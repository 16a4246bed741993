package dev.hapax.application.run;

import dev.hapax.domain.run.ClaimTaskOutcome;
import dev.hapax.domain.run.Run;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What a poll was granted.
 *
 * @param waited how long the poll had waited when it asked for them: callers count a lease from
 *     when they sent
 */
record Handout(List<Run> runs, Duration waited) {
  static final Handout NOTHING = new Handout(List.of(), Duration.ZERO);

  Handout {
    runs = List.copyOf(runs);
  }

  /** What of these was granted, as soon as all are decided. */
  static CompletableFuture<Handout> of(
      List<CompletableFuture<ClaimTaskOutcome>> claims, Duration waited) {
    return CompletableFuture.allOf(claims.toArray(CompletableFuture[]::new))
        .thenApply(
            _ ->
                new Handout(
                    claims.stream()
                        .map(CompletableFuture::join)
                        .filter(ClaimTaskOutcome.Claimed.class::isInstance)
                        .map(claimed -> ((ClaimTaskOutcome.Claimed) claimed).run())
                        .toList(),
                    waited));
  }
}
