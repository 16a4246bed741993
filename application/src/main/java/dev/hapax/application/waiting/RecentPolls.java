package dev.hapax.application.waiting;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The results of recent polls on this node, so that a retried poll gets the same result. Callers
 * retry within moments, so results are kept for two minutes; if there are very many, the oldest
 * expire earlier, and only the hashes of their polls stay.
 *
 * @param <P> the id of a poll
 * @param <I> the id of a granted object
 */
public final class RecentPolls<P, I> {
  static final Duration KEPT = Duration.ofMinutes(2);

  /** So few that at full load they expire before the JVM takes them for long-lived objects. */
  static final int MAX_IDS = 5_000;

  /** Places of hashes, a power of two. The last poll of a place is remembered. */
  private static final int PLACES = 1 << 17;

  private final RecentRemoteActivity remoteActivity;
  private final RecentEntries<P, List<I>> answers;

  // guarded by this
  private final int[] hashes = new int[PLACES];

  /** Creates an empty cache. */
  public RecentPolls(RecentRemoteActivity remoteActivity) {
    this(remoteActivity, System::nanoTime);
  }

  RecentPolls(RecentRemoteActivity remoteActivity, LongSupplier nanoTime) {
    this.remoteActivity = remoteActivity;
    this.answers = new RecentEntries<>(KEPT, MAX_IDS, List::size, nanoTime);
  }

  /** Stores the grants of a poll. */
  public synchronized void keep(P poll, List<I> granted) {
    if (granted.isEmpty()) {
      answers.remove(poll);
    } else {
      hashes[place(poll)] = hash(poll);
      answers.put(poll, List.copyOf(granted));
    }
  }

  /** Returns the grants of a poll that are stored. */
  public List<I> of(P poll) {
    return answers.get(poll).orElseGet(List::of);
  }

  /** Returns the grants of a poll, none for a new one; empty if the database may have some. */
  public synchronized Optional<List<I>> known(P poll) {
    var stored = of(poll);
    return stored.isEmpty() && (hashes[place(poll)] == hash(poll) || remoteActivity.mayHaveServed())
        ? Optional.empty()
        : Optional.of(stored);
  }

  /** The number of stored grants. */
  public int size() {
    return answers.weight();
  }

  private static int place(Object poll) {
    var hash = hash(poll);
    return (hash ^ hash >>> 15) & (PLACES - 1);
  }

  private static int hash(Object poll) {
    var hash = poll.hashCode();
    // 0 is an empty place
    return hash == 0 ? 1 : hash;
  }
}
