package dev.hapax.postgres.read;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.ledger.WorkspaceScope;
import java.sql.SQLException;
import java.time.Duration;
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
 * wait for is read once, and thousands of callers cause few reads.
 *
 * @param <K> the keys
 */
public final class GroupedReads<K, V> {
  private static final int MAX_WAITING = 50_000;
  private static final int MAX_READS = 2;
  private static final int BATCH = 50;

  private final ReadExecutor reads;
  private final Function<K, Workspace> workspace;
  private final Read<K, V> read;

  // guarded by this
  private final Map<K, CompletableFuture<Optional<V>>> waiting = new LinkedHashMap<>();
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
      if (waiting.size() >= MAX_WAITING && !waiting.containsKey(key)) {
        return CompletableFuture.failedFuture(
            new LedgerException.Overloaded("reads of this server", Duration.ofMillis(200)));
      }
      answer = waiting.computeIfAbsent(key, _ -> new CompletableFuture<>());
      if (activeReads == MAX_READS) {
        return answer.copy();
      }
      activeReads++;
    }
    readNext();
    return answer.copy();
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
    var left = waiting.entrySet().iterator();
    while (left.hasNext() && group.size() < BATCH) {
      var next = left.next();
      group.put(next.getKey(), next.getValue());
      left.remove();
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
