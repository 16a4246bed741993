package dev.hapax.postgres.read;

import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.WorkspaceScope;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * The reads that wait. Workspaces take turns, and each has half of the queue.
 *
 * @param <R> the reads
 */
final class ReadQueue<R> {
  private static final Duration RETRY = Duration.ofMillis(200);

  private final int max;

  // guarded by this
  private final Map<Optional<WorkspaceScope>, Queue<R>> waiting = new LinkedHashMap<>();
  private int size;

  ReadQueue(int max) {
    this.max = max;
  }

  /**
   * Adds a read.
   *
   * @param scope empty = a read of the server itself, which may take the whole queue
   */
  synchronized void add(Optional<WorkspaceScope> scope, R read) {
    if (size >= max) {
      throw new LedgerException.Overloaded("reads of this server", RETRY);
    }
    var reads = waiting.computeIfAbsent(scope, _ -> new ArrayDeque<>());
    if (scope.isPresent() && reads.size() >= max / 2) {
      throw new LedgerException.Overloaded("reads of this workspace", RETRY);
    }
    reads.add(read);
    size++;
  }

  /**
   * Takes the next read of the workspace whose turn it is; there is one for each that was added.
   */
  synchronized R take() {
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
