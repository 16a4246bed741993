package dev.hapax.postgres.ledger;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Stops a server whose memory no longer describes its database: the database was restored, or uses
 * a feature that the server does not know, or its tables are on another node. Only a new start
 * helps, so a refusal is final. Also finds the workspaces of a batch that are in another cell.
 */
public final class DatabaseFence {
  private static final String READ =
      "SELECT clock_timestamp(), (SELECT coalesce(max(epoch), 0) FROM hapax.restoration),"
          + " (SELECT max(feature) FROM hapax.required_feature),"
          + " (SELECT string_agg(workspace, ',') FROM hapax.moved"
          + " WHERE workspace = ANY (string_to_array(?, ',')))";

  /**
   * As {@link #READ}, and fails if the decisions were made at another time or in another state.
   * Also sets timeouts, since one statement costs less than three. The scope is set before: without
   * it, row-level security hides what is moved.
   */
  private static final String REQUIRE =
      """
      SELECT at, newest, used, elsewhere, hapax.expect(1, (at - ?::timestamptz BETWEEN '-10 ms' AND '250 ms'
        AND newest <= ? AND used <= ? AND elsewhere IS NULL)::int, 'assumed state'),
        set_config('lock_timeout', ?, true), set_config('statement_timeout', ?, true)
      FROM (%s) AS state (at, newest, used, elsewhere)"""
          .formatted(READ);

  private static final String HOLD = "SELECT hapax.hold_schema()";

  /** The SQLSTATE of functions that refuse this server. */
  private static final String REFUSED = "HX004";

  /** Answers from memory need a check that is as young as this. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  /** How errors name a database that is the only one. */
  public static final String UNNAMED = "the database";

  private final String database;
  private final int epoch;
  private final int features;
  private final boolean isDistributed;
  private final DatabaseClock clock;
  private volatile Optional<String> refusal = Optional.empty();
  private volatile Runnable onMoved = () -> {};
  private volatile Runnable onRefused = () -> {};
  private volatile LastCheck last = new LastCheck(System.nanoTime(), System.currentTimeMillis());

  /** Both clocks: the first stands still while the machine is suspended, the other may be set. */
  private record LastCheck(long nanos, long millis) {
    boolean isWithin(Duration time) {
      return System.nanoTime() - nanos < time.toNanos()
          && System.currentTimeMillis() - millis < time.toMillis();
    }
  }

  /** Begins with the state of a database without a name. */
  public DatabaseFence(int epoch, int features) {
    this(epoch, features, new DatabaseClock());
  }

  /** As before, with this clock. */
  public DatabaseFence(int epoch, int features, DatabaseClock clock) {
    this(UNNAMED, epoch, features, false, clock);
  }

  /**
   * Begins with the state of the database at the start of the server.
   *
   * @param database how errors name it
   * @param epoch the last restore that the server knows; 0 = none
   * @param features the newest feature that the server knows
   * @param isDistributed whether its tables may be on another node of a cluster later
   */
  public DatabaseFence(String database, int epoch, int features, boolean isDistributed) {
    this(database, epoch, features, isDistributed, new DatabaseClock());
  }

  private DatabaseFence(
      String database, int epoch, int features, boolean isDistributed, DatabaseClock clock) {
    this.clock = clock;
    this.database = database;
    this.epoch = epoch;
    this.features = features;
    this.isDistributed = isDistributed;
  }

  /** How errors name the database. */
  public String database() {
    return database;
  }

  /** Why this server must answer no call any more, if that is so. */
  public Optional<String> refusal() {
    return refusal;
  }

  /** Refuses every call from now on, for this reason. */
  public void refuse(String reason) {
    refusal = Optional.of(reason);
    onRefused.run();
  }

  /** Runs this at a refusal, on any thread and maybe more than once. */
  public void onRefused(Runnable listener) {
    onRefused = listener;
  }

  /** Whether the database refuses this server with this error. */
  public static boolean isRefusal(SQLException error) {
    return REFUSED.equals(error.getSQLState());
  }

  /**
   * Keeps the tables on this node until the end of the transaction, or fails. What the transaction
   * has read before may be of another node.
   */
  void hold(Pipeline pipeline) {
    if (isDistributed) {
      pipeline.query(HOLD, List.of(), _ -> {});
    }
  }

  /** Fails if the tables are on another node now. */
  public void requireTables(Connection connection) throws SQLException {
    var pipeline = new Pipeline(connection);
    hold(pipeline);
    if (!pipeline.isEmpty()) {
      pipeline.run();
    }
  }

  /** Whether a check was made so shortly ago that what this server remembers still counts. */
  public boolean isFresh() {
    return last.isWithin(FRESH);
  }

  /** The clock of the database, which each check reads. */
  public DatabaseClock clock() {
    return clock;
  }

  /** Runs this whenever a workspace was in another cell, since the map of this server is old. */
  public void onMoved(Runnable listener) {
    onMoved = listener;
  }

  /** Adds the check to a round trip that only reads. */
  public Check check(Pipeline pipeline) {
    return check(pipeline, WorkspaceScope.NONE);
  }

  /** Adds the check to a round trip of a batch of these workspaces. */
  public Check check(Pipeline pipeline, WorkspaceScope workspaces) {
    var check = new Check();
    pipeline.query(READ, List.of(workspaces.names()), check::read);
    return check;
  }

  /**
   * About the time of the database, for decisions that {@link #require} checks; empty if it is not
   * known, or if tables may be elsewhere.
   */
  Optional<Instant> estimate() {
    return isDistributed ? Optional.empty() : clock.estimate();
  }

  /**
   * Adds the check to a round trip that commits, which fails if decisions of this time are not
   * allowed. Also sets the timeouts of the transaction.
   */
  void require(Pipeline pipeline, WorkspaceScope workspaces, Instant decided, Timeouts timeouts) {
    var check = new Check();
    pipeline.query(
        REQUIRE,
        List.of(
            OffsetDateTime.ofInstant(decided, ZoneOffset.UTC),
            epoch,
            features,
            Integer.toString(timeouts.lockMillis()),
            Integer.toString(timeouts.statementMillis()),
            workspaces.names()),
        check::read);
  }

  /** How long a transaction waits for a lock, and for a statement. */
  record Timeouts(int lockMillis, int statementMillis) {}

  /** The result of one check, once its round trip has ended. */
  public final class Check {
    private final LastCheck sent = new LastCheck(System.nanoTime(), System.currentTimeMillis());
    private Instant now = Instant.EPOCH;
    private Set<String> moved = Set.of();

    private void read(ResultSet row) throws SQLException {
      now = row.getObject(1, OffsetDateTime.class).toInstant();
      clock.read(now, sent.nanos());
      var newest = row.getInt(2);
      var used = row.getInt(3);
      var elsewhere = row.getString(4);
      if (elsewhere != null) {
        moved = Set.of(elsewhere.split(","));
        onMoved.run();
      }
      if (newest > epoch) {
        refuse(
            String.format(
                Locale.ROOT,
                "this database was restored (epoch %d) after the server had started; restart the server",
                newest));
      } else if (used > features) {
        refuse(
            String.format(
                Locale.ROOT,
                "this database uses feature %d, and the server knows features up to %d; start a newer version",
                used,
                features));
      } else {
        last = sent;
      }
    }

    /** The time by the database's clock. */
    public Instant now() {
      return now;
    }

    /** The workspaces that are in another cell. */
    Set<String> moved() {
      return moved;
    }
  }
}
