package dev.hapax.postgres.read;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.WorkspaceScope;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** The reads that wait for a thread. Workspaces take turns, and each has half of the queue. */
final class ReadQueue {
  private static final int MAX = 1_000;
  private static final int SHARE = MAX / 2;
  private static final Duration RETRY = Duration.ofMillis(200);

  // guarded by this
  private final Map<Optional<WorkspaceScope>, Queue<Runnable>> waiting = new LinkedHashMap<>();
  private int size;

  /**
   * Adds a read.
   *
   * @param scope empty = a read of the server itself, which may take the whole queue
   */
  synchronized void add(Optional<WorkspaceScope> scope, Runnable read) {
    var reads = waiting.getOrDefault(scope, new ArrayDeque<>());
    if (size >= MAX) {
      throw new LedgerException.Overloaded("reads of this server", RETRY);
    }
    if (scope.isPresent() && reads.size() >= SHARE) {
      throw new LedgerException.Overloaded("reads of this workspace", RETRY);
    }
    reads.add(read);
    size++;
    waiting.put(scope, reads);
  }

  /**
   * Takes the next read of the workspace whose turn it is; there is one for each that was added.
   */
  synchronized Runnable take() {
    var next = waiting.entrySet().iterator().next();
    var read = next.getValue().remove();
    size--;
    waiting.remove(next.getKey());
    if (!next.getValue().isEmpty()) {
      waiting.put(next.getKey(), next.getValue());
    }
    return read;
  }

  synchronized int size() {
    return size;
  }
}
