package dev.hapax.console.overview;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What overviews have shown in the last hour: one sample for each minute, of the workspaces that
 * were visited last. It costs no query, since a visit has read the numbers anyway.
 */
final class WorkSamples {
  private static final int MOST_WORKSPACES = 20;

  private final Cache<String, NavigableMap<Long, Map<String, Long>>> samples =
      Caffeine.newBuilder()
          .maximumSize(MOST_WORKSPACES)
          .expireAfterWrite(Duration.ofMinutes(Trend.MINUTES))
          .build();

  /** Keeps the numbers of this minute, by the names of their series. */
  synchronized void add(String workspace, Instant now, Map<String, Long> numbers) {
    var kept = new TreeMap<>(kept(workspace));
    kept.put(minute(now), Map.copyOf(numbers));
    samples.put(workspace, recent(kept, now));
  }

  /** Keeps the last numbers for all minutes since, in which nothing has changed. */
  synchronized void repeat(String workspace, Instant now) {
    var kept = new TreeMap<>(kept(workspace));
    if (kept.isEmpty()) {
      return;
    }
    var last = kept.lastEntry();
    for (long minute = last.getKey() + 1; minute <= minute(now); minute++) {
      kept.put(minute, last.getValue());
    }
    samples.put(workspace, recent(kept, now));
  }

  synchronized Trend trend(String workspace, Instant now, String series) {
    var kept = recent(kept(workspace), now);
    var values = new TreeMap<Long, Long>();
    // a queue that is not among the last numbers is not sampled
    if (!kept.isEmpty() && kept.lastEntry().getValue().containsKey(series)) {
      kept.forEach((minute, numbers) -> values.put(minute, numbers.getOrDefault(series, 0L)));
    }
    return Trend.of(minute(now), values);
  }

  private NavigableMap<Long, Map<String, Long>> kept(String workspace) {
    var kept = samples.getIfPresent(workspace);
    return kept == null ? new TreeMap<>() : kept;
  }

  private static NavigableMap<Long, Map<String, Long>> recent(
      NavigableMap<Long, Map<String, Long>> all, Instant now) {
    return all.tailMap(minute(now) - Trend.MINUTES, false);
  }

  private static long minute(Instant at) {
    return Duration.ofSeconds(at.getEpochSecond()).toMinutes();
  }
}
