package dev.hapax.postgres.read;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.WorkspaceScope;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Groups reads by key: callers that arrive during a read share the next one. A run that thousands
 * wait for is read once, and thousands of callers cause few reads. Workspaces take turns, key by
 * key, so that one with many keys does not delay the others.
 *
 * @param <K> the keys
 */
public final class GroupedReads<K, V> {
  private static final int MAX_WAITING = 100_000;
  private static final int MAX_READS = 2;
  private static final int BATCH = 50;

  private final ReadExecutor reads;
  private final Function<K, Workspace> workspace;
  private final Read<K, V> read;

  // guarded by this
  private final Map<K, CompletableFuture<Optional<V>>> waiting = new HashMap<>();
  private final ReadQueue<K> queue = new ReadQueue<>(MAX_WAITING);
  private int activeReads;

  /** Reads the values that exist for these keys. */
  @FunctionalInterface
  public interface Read<K, V> {
    Map<K, V> from(ReadSession session, List<K> keys) throws SQLException;
  }

  public GroupedReads(ReadExecutor reads, Function<K, Workspace> workspace, Read<K, V> read) {
    this.reads = reads;
    this.workspace = workspace;
    this.read = read;
  }

  /** Returns the value as of a time after this call began. The caller may cancel its future. */
  public CompletableFuture<Optional<V>> find(K key) {
    CompletableFuture<Optional<V>> answer;
    synchronized (this) {
      try {
        answer = waiting.computeIfAbsent(key, this::queued);
      } catch (LedgerException.Overloaded full) {
        return CompletableFuture.failedFuture(full);
      }
      if (activeReads == MAX_READS) {
        return answer.copy();
      }
      activeReads++;
    }
    readNext();
    return answer.copy();
  }

  private CompletableFuture<Optional<V>> queued(K key) {
    queue.add(Optional.of(WorkspaceScope.of(workspace.apply(key))), key);
    return new CompletableFuture<>();
  }

  private void readNext() {
    var group = take();
    if (group.isEmpty()) {
      return;
    }
    var keys = List.copyOf(group.keySet());
    var _ =
        reads
            .submit(
                WorkspaceScope.of(keys.stream().map(workspace).toList()),
                session -> read.from(session, keys))
            .whenComplete(
                (found, failure) -> {
                  readNext();
                  group.forEach((key, answer) -> answer(answer, key, found, failure));
                });
  }

  /** Takes the next keys to read; if there are none, this read is no longer under way. */
  private synchronized Map<K, CompletableFuture<Optional<V>>> take() {
    var group = new LinkedHashMap<K, CompletableFuture<Optional<V>>>();
    while (queue.size() > 0 && group.size() < BATCH) {
      var next = queue.take();
      group.put(next, Objects.requireNonNull(waiting.remove(next)));
    }
    if (group.isEmpty()) {
      activeReads--;
    }
    return group;
  }

  private static <K, V> void answer(
      CompletableFuture<Optional<V>> answer,
      K key,
      @Nullable Map<K, V> found,
      @Nullable Throwable failure) {
    if (failure == null) {
      answer.complete(Optional.ofNullable(Objects.requireNonNull(found).get(key)));
    } else {
      answer.completeExceptionally(failure);
    }
  }
}
