package dev.hapax.testkit.simulation;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * The seeds that a test runs its simulation with; {@code -Dhapax.simulation.seed=N} names a single
 * one.
 *
 * @param test what runs a failed seed again
 * @param simulation runs one seed, and counts its outcomes
 */
public record SimulationSeeds(Class<?> test, LongFunction<Map<String, Integer>> simulation) {
  private static final String SEED = "hapax.simulation.seed";
  private static final Duration SOAK = Duration.ofMinutes(5);

  /**
   * Runs the seeds that once failed and the first others, or the one that is named.
   *
   * @param check gets the outcomes of all of them; not those of a named one
   */
  public void run(long[] failed, long others, Consumer<Map<String, Integer>> check) {
    var named = Long.getLong(SEED);
    if (named != null) {
      var _ = run(named);
      return;
    }
    var seen = new TreeMap<String, Integer>();
    LongStream.concat(LongStream.of(failed), LongStream.range(0, others))
        .mapToObj(this::run)
        .forEach(one -> one.forEach((kind, times) -> seen.merge(kind, times, Integer::sum)));
    check.accept(seen);
  }

  /** Runs seeds that were never tried, for minutes. */
  public void soak() {
    var start = System.nanoTime();
    for (var seed = start; System.nanoTime() - start < SOAK.toNanos(); seed++) {
      var _ = run(seed);
    }
  }

  private Map<String, Integer> run(long seed) {
    try {
      return simulation.apply(seed);
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          """
          seed %d: %s
          to run it again: ./mvnw -pl application -am test -Dtest=%s \
          -D%s=%d -Dsurefire.failIfNoSpecifiedTests=false\
          """
              .formatted(seed, e.getMessage(), test.getSimpleName(), SEED, seed),
          e);
    }
  }
}
