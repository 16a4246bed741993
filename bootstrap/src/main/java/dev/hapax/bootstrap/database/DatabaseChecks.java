package dev.hapax.bootstrap.database;

import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import dev.hapax.bootstrap.config.ServerConfig.LedgerConfig;
import dev.hapax.postgres.PostgresConfig;
import dev.hapax.postgres.UnverifiedHosts;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.postgres.schema.SessionRoles;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Checks the version, rights and durability settings of a PostgreSQL. */
public final class DatabaseChecks {
  private static final String ROW_LEVEL_SECURITY = "row-level security";
  private static final String IDENTITY = "identity";
  private static final int OLDEST = 14;
  private static final int NEWEST = 18;
  private static final int MAJOR = 10_000;
  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

  private static final String FACTS =
      """
      SELECT current_setting('server_version') AS version,
             current_setting('server_version_num')::int AS version_number,
             current_setting('server_encoding') AS encoding,
             current_setting('fsync') AS fsync,
             current_setting('full_page_writes') AS full_page_writes,
             current_setting('synchronous_commit') AS synchronous_commit,
             current_setting('synchronous_standby_names') AS standbys,
             (SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
               AND query_start < clock_timestamp() - interval '5 seconds') AS waiting_commits,
             current_setting('max_connections')::int
               - current_setting('superuser_reserved_connections')::int AS connections,
             pg_is_in_recovery() AS standby,
             current_user AS account,
             current_database() AS database,
             CASE WHEN to_regnamespace('hapax') IS NULL
               THEN has_database_privilege(current_database(), 'CREATE')
               ELSE has_schema_privilege('hapax', 'CREATE') END AS may_create,
             CASE WHEN to_regnamespace('hapax') IS NULL THEN false
               ELSE has_schema_privilege('hapax', 'USAGE') END AS may_use,
             to_regprocedure('hapax.role_name(text)') IS NOT NULL AS has_roles,
             to_regprocedure('hapax.role_problem()') IS NOT NULL AS has_role_problem,
             coalesce(has_function_privilege(to_regprocedure('hapax.identity_problem()'), 'EXECUTE')
               AND has_table_privilege(to_regclass('hapax.installation'), 'SELECT'), false) AS may_compare,
             (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS clock_ms
      """;

  private static final String COMPARED =
      """
      SELECT hapax.identity_problem() AS problem, system_identifier IS NULL OR timeline IS NULL AS hidden
        FROM hapax.database_identity()""";

  private final ResultSet facts;
  private final boolean allowUnsafe;

  private DatabaseChecks(ResultSet facts, boolean allowUnsafe) {
    this.facts = facts;
    this.allowUnsafe = allowUnsafe;
  }

  /**
   * Runs all checks.
   *
   * @param target the address that the connection was opened with
   * @param ledger what a server needs
   * @param allowUnsafe whether to accept settings that can lose acknowledged data
   */
  public static List<DatabaseFinding> of(
      Connection connection, JdbcTarget target, LedgerConfig ledger, boolean allowUnsafe)
      throws SQLException {
    try (var statement = connection.createStatement()) {
      long before = System.currentTimeMillis();
      try (var facts = statement.executeQuery(FACTS)) {
        long after = System.currentTimeMillis();
        facts.next();
        var checks = new DatabaseChecks(facts, allowUnsafe);
        return List.of(
            checks.version(),
            checks.primary(),
            checks.rights(),
            tls(target.url()),
            checks.rowLevelSecurity(connection, ledger.rowLevelSecurity()),
            checks.encoding(),
            checks.fsync(),
            checks.fullPageWrites(),
            checks.synchronousCommit(),
            checks.standby(),
            checks.connections(ledger),
            checks.clock(before, after),
            checks.identity(connection));
      }
    }
  }

  /** How much of a disk the database has, which may be the disk of another machine. */
  public static DatabaseFinding size(Connection connection) throws SQLException {
    return DatabaseFinding.ok(
        "database size",
        DatabaseSetup.text(
                connection, "SELECT pg_size_pretty(pg_database_size(current_database()))")
            + "; `hapax runbook disk-full` has a rule that warns before its disk is full");
  }

  /** Whether a restore would be noticed, and whether one was. */
  private DatabaseFinding identity(Connection connection) throws SQLException {
    if (!facts.getBoolean("may_compare")) {
      return DatabaseFinding.ok(IDENTITY, "compared by each server, and by the owner's doctor");
    }
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(COMPARED)) {
      row.next();
      var problem = row.getString("problem");
      if (problem != null) {
        return DatabaseFinding.fail(
            IDENTITY, problem + ": stop all servers, then run `hapax doctor --after-restore`");
      }
      return row.getBoolean("hidden")
          ? DatabaseFinding.warn(
              IDENTITY,
              "the provider hides pg_control_system() or the timeline: a database that replaces this one is recognized"
                  + " only by its oid and by the registrations of its servers")
          : DatabaseFinding.ok(IDENTITY, "a database that replaces this one is recognized");
    }
  }

  private DatabaseFinding version() throws SQLException {
    int major = facts.getInt("version_number") / MAJOR;
    var version = "PostgreSQL " + facts.getString("version");
    if (major < OLDEST) {
      return DatabaseFinding.fail(
          "version", version + " is too old: use " + OLDEST + ".." + NEWEST);
    }
    return major > NEWEST
        ? DatabaseFinding.warn(
            "version", version + " is newer than the latest tested version, " + NEWEST)
        : DatabaseFinding.ok("version", version);
  }

  private DatabaseFinding primary() throws SQLException {
    return facts.getBoolean("standby")
        ? DatabaseFinding.fail("primary", "this is a standby: connect to the primary")
        : DatabaseFinding.ok("primary", "accepts writes");
  }

  private DatabaseFinding rights() throws SQLException {
    var account = facts.getString("account");
    if (facts.getBoolean("may_create")) {
      return DatabaseFinding.ok("rights", account + " may create and change the schema hapax");
    }
    return facts.getBoolean("may_use")
        ? DatabaseFinding.ok(
            "rights",
            account
                + " may use the schema hapax, and not change it: its owner runs `hapax migrate`")
        : DatabaseFinding.fail(
            "rights",
            "%s may not create or change the schema hapax: GRANT CREATE ON DATABASE %s TO %s, or"
                    .formatted(account, facts.getString("database"), account)
                + " use the user that owns the schema");
  }

  private static DatabaseFinding tls(JdbcUrl url) {
    return UnverifiedHosts.of(url.value()).stream()
        .findFirst()
        .map(
            host ->
                DatabaseFinding.warn(
                    "tls",
                    "others on the network can read or change what is exchanged with %s: add sslmode=verify-full to --database-url, see docs/configuration.md#your-own-postgresql"
                        .formatted(host)))
        .orElseGet(() -> DatabaseFinding.ok("tls", "the connection is on loopback, or verified"));
  }

  private DatabaseFinding rowLevelSecurity(Connection connection, RowLevelSecurity setting)
      throws SQLException {
    var problem =
        facts.getBoolean("has_role_problem")
            ? DatabaseSetup.text(connection, "SELECT hapax.role_problem()")
            : "";
    if (!problem.isEmpty()) {
      return DatabaseFinding.fail(ROW_LEVEL_SECURITY, problem);
    }
    if (setting == RowLevelSecurity.OFF) {
      return DatabaseFinding.ok(ROW_LEVEL_SECURITY, "off, as configured");
    }
    if (!facts.getBoolean("has_roles")) {
      return DatabaseFinding.ok(ROW_LEVEL_SECURITY, "begins with the schema of this version");
    }
    return switch (SessionRoles.of(connection, RowLevelSecurity.AUTO)) {
      case SEPARATED -> DatabaseFinding.ok(ROW_LEVEL_SECURITY, "the roles exist");
      case LOGIN ->
          DatabaseFinding.warn(
              ROW_LEVEL_SECURITY,
              "off: %s may not assume the roles of this database; run `hapax migrate` as a user that may create roles"
                  .formatted(facts.getString("account")));
    };
  }

  private DatabaseFinding encoding() throws SQLException {
    var encoding = facts.getString("encoding");
    return "UTF8".equals(encoding)
        ? DatabaseFinding.ok("encoding", encoding)
        : DatabaseFinding.fail("encoding", encoding + ": create the database with ENCODING 'UTF8'");
  }

  private DatabaseFinding fsync() throws SQLException {
    return isOff("fsync")
        ? unsafe("fsync", "off: a power cut loses acknowledged commits; set fsync = on")
        : DatabaseFinding.ok("fsync", "on");
  }

  private DatabaseFinding fullPageWrites() throws SQLException {
    return isOff("full_page_writes")
        ? unsafe(
            "full_page_writes",
            "off: a power cut may tear pages, unless the file system prevents that; set full_page_writes = on")
        : DatabaseFinding.ok("full_page_writes", "on");
  }

  private DatabaseFinding synchronousCommit() throws SQLException {
    return isOff("synchronous_commit")
        ? unsafe(
            "synchronous_commit",
            "off: a crash loses the last acknowledged commits; set synchronous_commit = on")
        : DatabaseFinding.ok("synchronous_commit", facts.getString("synchronous_commit"));
  }

  /** Each commit waits for a moment. Sessions of another user hide what they wait for. */
  private DatabaseFinding standby() throws SQLException {
    var names = facts.getString("standbys");
    int waiting = facts.getInt("waiting_commits");
    if (waiting > 0) {
      return DatabaseFinding.warn(
          "standby",
          String.format(
              Locale.ROOT,
              "%d commits have waited for a synchronous standby (%s): bring it back, or change synchronous_standby_names",
              waiting,
              names));
    }
    return DatabaseFinding.ok(
        "standby",
        names.isEmpty()
            ? "none is synchronous: a failover may lose the last acknowledged commits"
            : "synchronous: " + names);
  }

  private DatabaseFinding unsafe(String subject, String text) {
    return allowUnsafe
        ? DatabaseFinding.warn(subject, text)
        : DatabaseFinding.fail(subject, text + " (or accept it with --allow-unsafe-database)");
  }

  private boolean isOff(String setting) throws SQLException {
    return "off".equals(facts.getString(setting));
  }

  private DatabaseFinding connections(LedgerConfig ledger) throws SQLException {
    int allowed = facts.getInt("connections");
    int needed =
        PostgresConfig.connections(ledger.poolSize() - ledger.committers(), ledger.committers());
    var text =
        String.format(
            Locale.ROOT,
            "%d allowed, each server needs up to %d with --pool-size %d",
            allowed,
            needed,
            ledger.poolSize());
    if (allowed >= needed) {
      return DatabaseFinding.ok("connections", text);
    }
    var action = text + ": lower it or raise max_connections";
    return allowed < ledger.poolSize()
        ? DatabaseFinding.fail("connections", action)
        : DatabaseFinding.warn("connections", action);
  }

  private DatabaseFinding clock(long before, long after) throws SQLException {
    long clock = facts.getLong("clock_ms");
    long difference = clock < before ? before - clock : Math.max(0, clock - after);
    var text = "differs from this machine's clock by " + difference + " ms";
    return difference > CLOCK_TOLERANCE.toMillis()
        ? DatabaseFinding.warn(
            "clock", text + ": leases use the clock of the database; synchronize both (NTP)")
        : DatabaseFinding.ok("clock", text);
  }
}
