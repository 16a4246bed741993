package dev.hapax.application.entity;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims under whatever a seed brings: see {@link ClaimSimulation}. */
class ClaimSimulationTest {
  private static final String SEED = "hapax.simulation.seed";
  private static final long SEEDS = 150;
  private static final Duration SOAK = Duration.ofMinutes(5);

  /**
   * Seeds that once failed; kept for ever. A change of the draws changes what a seed means: then
   * put the bug back and search for the seeds that find it.
   */
  private static final long[] FAILING_SEEDS = {
    // a poll from a janitor's time as a remote one delayed its sweeps once it was hosted
    3946
  };

  /** If one of these no longer comes up, the runs have become too tame. */
  private static final String[] OUTCOMES = {
    "BeginAction: Changing",
    "BeginAction: ClaimFailed",
    "BeginAction: Granted",
    "BeginAction: NeedsRecovery",
    "BeginAction: re-entered",
    "BeginRound: begun",
    "BeginRound: not due",
    "ClaimRecovery: Claimed",
    "ClaimRecovery: Left",
    "CompleteAction: Completed",
    "CompleteAction: ENDED",
    "CompleteAction: LEASE_LOST",
    "CompleteAction: RELEASED",
    "CompleteAction: VERSION",
    "CompleteAction: already",
    "CompleteRecovery: ENDED",
    "CompleteRecovery: LEASE_LOST",
    "CompleteRecovery: Recovered",
    "CompleteRecovery: already",
    "FailAction: Failed",
    "FailAction: LEASE_LOST",
    "FailAction: already",
    "ReleaseClaim: Released",
    "RenewAction: LEASE_LOST",
    "RenewAction: Renewed",
    "SweepClaim: Left",
    "SweepClaim: Reverted"
  };

  private static Map<String, Integer> run(long seed) {
    try {
      return new ClaimSimulation(seed).run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          """
          seed %d: %s
          to run it again: ./mvnw -pl application -am test -Dtest=ClaimSimulationTest \
          -D%s=%d -Dsurefire.failIfNoSpecifiedTests=false\
          """
              .formatted(seed, e.getMessage(), SEED, seed),
          e);
    }
  }

  @Test
  @DisplayName(
      "C1, C6, C7, C9 and C10 on up to three nodes: one has it, its late end changes nothing, and nobody has it for ever")
  void seeds() {
    var named = Long.getLong(SEED);
    if (named != null) {
      var _ = run(named);
      return;
    }
    var seen = new TreeMap<String, Integer>();
    LongStream.concat(LongStream.of(FAILING_SEEDS), LongStream.range(0, SEEDS))
        .mapToObj(ClaimSimulationTest::run)
        .forEach(one -> one.forEach((kind, times) -> seen.merge(kind, times, Integer::sum)));
    assertThat(seen).containsKeys(OUTCOMES);
  }

  @Test
  @Tag("soak")
  @DisplayName("seeds nobody has tried, for minutes")
  void soak() {
    var start = System.nanoTime();
    for (var seed = start; System.nanoTime() - start < SOAK.toNanos(); seed++) {
      var _ = run(seed);
    }
  }
}
