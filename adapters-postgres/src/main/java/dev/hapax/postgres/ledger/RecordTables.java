package dev.hapax.postgres.ledger;

import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.RecordKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.stream.Collectors;
import org.postgresql.PGConnection;

/** All tables of a ledger, in the one order in which every node locks and writes them. */
final class RecordTables {
  private final List<RecordTable<?, ?>> tables;
  private final Set<Class<?>> kept;
  private final Set<PGConnection> sessions =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private final NewKeyGuess guess = new NewKeyGuess(System::nanoTime);

  RecordTables(List<RecordTable<?, ?>> tables) {
    this.tables = List.copyOf(tables);
    this.kept = tables.stream().map(RecordTable::keys).collect(Collectors.toUnmodifiableSet());
  }

  /** A record without a table would be decided on as absent, and lost. */
  void requireTable(Collection<? extends RecordKey<?>> keys) {
    for (var key : keys) {
      if (!kept.contains(key.getClass())) {
        throw new IllegalArgumentException("no table for " + key);
      }
    }
  }

  /**
   * Forgets what is remembered if this session is new: its server may lack the last commits of
   * another one, and use their numbers again.
   */
  private void forgetIfNew(Connection session) {
    try {
      if (sessions.add(session.unwrap(PGConnection.class))) {
        tables.forEach(table -> table.memory().ifPresent(RecordMemory::clear));
      }
    } catch (SQLException e) {
      throw new IllegalStateException("no session of PostgreSQL", e);
    }
  }

  /**
   * Prepares to load the records of these commands in this session.
   *
   * @param isRepeated loads all of them, also those that are remembered or should be absent
   */
  BatchLoad load(Connection session, Collection<QueuedCommand<?>> commands, boolean isRepeated) {
    forgetIfNew(session);
    return BatchLoad.of(tables, commands, isRepeated, guess);
  }

  /** Prepares the writes of a batch. */
  BatchWrites writes(BatchLoad load, Map<RecordKey<?>, Batch.Change> changes) {
    var byType = new HashMap<Class<?>, Map<RecordKey<?>, Batch.Change>>();
    changes.forEach(
        (key, change) ->
            byType.computeIfAbsent(key.getClass(), _ -> new HashMap<>()).put(key, change));
    return BatchWrites.of(tables, load, byType);
  }
}
