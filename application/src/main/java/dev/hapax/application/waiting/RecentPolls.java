package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The results of recent polls on this node, so that a retried poll gets the same result. Callers
 * retry within moments, so results are kept for two minutes; if there are very many, the oldest
 * expire earlier.
 *
 * @param <P> the id of a poll
 * @param <I> the id of a granted object
 */
public final class RecentPolls<P, I> {
  static final Duration KEPT = Duration.ofMinutes(2);

  /** About 20 MB. */
  static final int MAX_IDS = 200_000;

  private final RecentEntries<P, List<I>> answers;

  /** Creates an empty cache. */
  public RecentPolls() {
    this(System::nanoTime);
  }

  RecentPolls(LongSupplier nanoTime) {
    this.answers = new RecentEntries<>(KEPT, MAX_IDS, List::size, nanoTime);
  }

  /** Stores the grants of a poll. */
  public void keep(P poll, List<I> granted) {
    if (granted.isEmpty()) {
      answers.remove(poll);
    } else {
      answers.put(poll, List.copyOf(granted));
    }
  }

  /** Returns the grants of a poll; empty if it is unknown. */
  public List<I> of(P poll) {
    return answers.get(poll).orElseGet(List::of);
  }

  /** The number of stored grants. */
  public int size() {
    return answers.weight();
  }
}
