package dev.hapax.application.waiting;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What this node answered to the last polls, so that one that is sent again gets the same.
 *
 * @param <P> which poll it was
 * @param <I> what names a thing that was granted
 */
public final class RecentPolls<P, I> {
  private static final int KEPT = 50_000;

  private final Map<P, List<I>> answers =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<P, List<I>> eldest) {
          return size() > KEPT;
        }
      };

  /** Remembers what was granted to a poll. */
  public synchronized void keep(P poll, List<I> granted) {
    answers.put(poll, granted);
  }

  /** What was granted to this poll; nothing if it is not known. */
  public synchronized List<I> of(P poll) {
    return answers.getOrDefault(poll, List.of());
  }
}
