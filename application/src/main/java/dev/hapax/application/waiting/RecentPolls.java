package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.List;
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

  private final RecentEntries<P, List<I>> answers;

  /** Remembers nothing yet. */
  public RecentPolls() {
    this(System::nanoTime);
  }

  RecentPolls(LongSupplier nanoTime) {
    this.answers = new RecentEntries<>(KEPT, MAX_IDS, List::size, nanoTime);
  }

  /** Remembers what was granted to a poll. */
  public void keep(P poll, List<I> granted) {
    if (granted.isEmpty()) {
      answers.remove(poll);
    } else {
      answers.put(poll, List.copyOf(granted));
    }
  }

  /** What was granted to this poll; nothing if it is not known. */
  public List<I> of(P poll) {
    return answers.get(poll).orElseGet(List::of);
  }

  /** How many things are remembered. */
  public int size() {
    return answers.weight();
  }
}
