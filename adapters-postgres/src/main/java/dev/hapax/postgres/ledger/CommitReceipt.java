package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.schema.Tables.COMMITTER;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jooq.impl.DSL;

/**
 * The row of one committer, which each writing batch raises to its number. It shows whether a batch
 * was committed after the connection was lost at commit. Used by one thread.
 */
final class CommitReceipt {
  private static final String WHAT = "committer";

  /**
   * While a transaction holds an old snapshot, no dead row version is removed, and each raise
   * passes all of them.
   */
  private static final int RAISES = 1_000;

  private static final String REMOVE =
      RenderedSql.text(DSL.deleteFrom(COMMITTER).where(COMMITTER.ID.eq((UUID) null)));
  private static final String REGISTER =
      RenderedSql.text(
          DSL.insertInto(COMMITTER, COMMITTER.ID, COMMITTER.BATCH).values((UUID) null, null));
  private static final String RAISE =
      RenderedSql.exactly(
          WHAT,
          DSL.update(COMMITTER)
              .set(COMMITTER.BATCH, (Long) null)
              .where(COMMITTER.ID.eq((UUID) null), COMMITTER.BATCH.lt((Long) null))
              .returning(DSL.one()));
  private static final String FENCE_OFF =
      RenderedSql.text(
          DSL.update(COMMITTER)
              .set(COMMITTER.BATCH, (Long) null)
              .where(COMMITTER.ID.eq((UUID) null), COMMITTER.BATCH.lt((Long) null)));
  private static final String READ =
      RenderedSql.text(
          DSL.select(COMMITTER.BATCH).from(COMMITTER).where(COMMITTER.ID.eq((UUID) null)));

  private final long keepNanos;
  private UUID id = UUID.randomUUID();
  private long batch;
  private boolean registered;
  private long registeredNanos;

  /** The result of a batch whose commit was not answered. */
  enum CommitState {
    COMMITTED,
    /** It never will be committed: the row has a higher number now. */
    NOT_COMMITTED,
    /** The row is gone, so the result cannot be read. */
    UNKNOWN
  }

  /**
   * Begins without a row.
   *
   * @param keep how long to use one row; older rows count as those of stopped nodes
   */
  CommitReceipt(Duration keep) {
    this.keepNanos = keep.toNanos();
  }

  /** Inserts a row, if there is none or it was raised often. */
  void register(Connection connection) throws SQLException {
    if (registered && batch < RAISES && System.nanoTime() - registeredNanos < keepNanos) {
      return;
    }
    // a row in doubt may still be read: housekeeping removes it later
    var oldId = registered ? id : null;
    registered = false;
    id = UUID.randomUUID();
    batch = 0;
    var pipeline = new Pipeline(connection);
    if (oldId != null) {
      pipeline.add(REMOVE, List.of(oldId));
    }
    pipeline.add(REGISTER, List.of(id, batch));
    pipeline.run();
    registered = true;
    registeredNanos = System.nanoTime();
  }

  /** Adds the raise to a batch's writes; returns the batch's number. */
  long raise(Pipeline pipeline) {
    batch++;
    pipeline.write(RAISE, List.of(batch, id, batch, 1L));
    return batch;
  }

  /** A batch rolled back because the row was not there: the next one gets a new row. */
  void forgetIfMissing(SQLException failure) {
    if (SqlState.missing(failure).filter(WHAT::equals).isPresent()) {
      forget();
    }
  }

  /** The next batch gets a new row, which no transaction in doubt can hold. */
  void forget() {
    registered = false;
  }

  /** Waits for the transaction in doubt, if it still runs, and resolves its result for good. */
  CommitState resolve(Connection connection, long inDoubt) throws SQLException {
    // not the number in doubt: the answer to this commit may be lost, too, and the next attempt
    // must not take it for the batch's
    batch = inDoubt + 1;
    try (var fenceOff = connection.prepareStatement(FENCE_OFF)) {
      fenceOff.setLong(1, batch);
      fenceOff.setObject(2, id);
      fenceOff.setLong(3, inDoubt);
      if (fenceOff.executeUpdate() == 1) {
        return CommitState.NOT_COMMITTED;
      }
    }
    try (var read = connection.prepareStatement(READ)) {
      read.setObject(1, id);
      try (var rows = read.executeQuery()) {
        if (!rows.next()) {
          forget();
          return CommitState.UNKNOWN;
        }
        return rows.getLong(1) == inDoubt ? CommitState.COMMITTED : CommitState.NOT_COMMITTED;
      }
    }
  }
}
