package dev.hapax.testkit.simulation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * The seeds with which a test runs its simulation; {@code -Dhapax.simulation.seed=N} selects a
 * single one.
 *
 * @param test that reproduces a failed seed
 * @param simulation runs one seed, and counts its outcomes
 */
public record SimulationSeeds(Class<?> test, LongFunction<Map<String, Integer>> simulation) {
  private static final String SEED = "hapax.simulation.seed";
  private static final Duration SOAK = Duration.ofMinutes(5);

  /**
   * Runs the seeds that failed before and the first others, or the selected one.
   *
   * @param check receives the outcome counts of all seeds; not called for a selected seed
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

  /** Runs new seeds for some minutes. */
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
          String.format(
              Locale.ROOT,
              """
          seed %d: %s
          to reproduce: ./mvnw -pl application -am test -Dtest=%s \
          -D%s=%d -Dsurefire.failIfNoSpecifiedTests=false\
          """,
              seed,
              e.getMessage(),
              test.getSimpleName(),
              SEED,
              seed),
          e);
    }
  }
}
