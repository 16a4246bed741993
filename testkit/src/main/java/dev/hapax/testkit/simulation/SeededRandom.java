package dev.hapax.testkit.simulation;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

/** The source of all random decisions of one run. */
public final class SeededRandom {
  private final SplittableRandom random;

  public SeededRandom(long seed) {
    random = new SplittableRandom(seed);
  }

  public boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** Returns a number from 0 to the bound, exclusive. */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  public long number() {
    return random.nextLong();
  }

  @SafeVarargs
  public final <T> T pick(T... from) {
    return from[below(from.length)];
  }

  public <T> T pick(List<T> from) {
    return from.get(below(from.size()));
  }

  /** Returns a random duration in microseconds, the precision of the database. */
  public Duration upTo(Duration most) {
    return Duration.of(random.nextLong(most.toNanos() / 1_000 + 1), ChronoUnit.MICROS);
  }

  public void shuffle(List<?> list) {
    Collections.shuffle(list, random);
  }
}
