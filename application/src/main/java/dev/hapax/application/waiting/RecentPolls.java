package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What this node answered to the last polls, so that one that is sent again gets the same. A caller
 * sends a poll again within moments or never, so they are kept for two minutes; and of very many,
 * the oldest are forgotten earlier.
 *
 * @param <P> which poll it was
 * @param <I> what names a thing that was granted
 */
public final class RecentPolls<P, I> {
  static final Duration KEPT = Duration.ofMinutes(2);

  /** About 20 MB. */
  static final int MAX_IDS = 200_000;

  private final LongSupplier nanoTime;

  // guarded by this; the oldest first
  private final Map<P, Answer<I>> answers = new LinkedHashMap<>();
  private int ids;

  private record Answer<I>(List<I> granted, long nanos) {}

  /** Remembers nothing yet. */
  public RecentPolls() {
    this(System::nanoTime);
  }

  RecentPolls(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Remembers what was granted to a poll. */
  public synchronized void keep(P poll, List<I> granted) {
    forget(poll);
    if (!granted.isEmpty()) {
      answers.put(poll, new Answer<>(List.copyOf(granted), nanoTime.getAsLong()));
      ids += granted.size();
    }
    forgetOldest();
  }

  private void forget(P poll) {
    var answer = answers.remove(poll);
    if (answer != null) {
      ids -= answer.granted().size();
    }
  }

  private void forgetOldest() {
    var now = nanoTime.getAsLong();
    for (var oldest = answers.entrySet().iterator(); oldest.hasNext(); ) {
      var answer = oldest.next().getValue();
      if (ids <= MAX_IDS && now - answer.nanos() < KEPT.toNanos()) {
        return;
      }
      oldest.remove();
      ids -= answer.granted().size();
    }
  }

  /** What was granted to this poll; nothing if it is not known. */
  public synchronized List<I> of(P poll) {
    forgetOldest();
    var answer = answers.get(poll);
    return answer == null ? List.of() : answer.granted();
  }

  /** How many things are remembered. */
  public synchronized int size() {
    return ids;
  }
}
