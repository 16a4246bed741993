package dev.hapax.bootstrap.cli.doctor;

import dev.hapax.bootstrap.cli.ConfiguredDatabase;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.config.DatabaseConfig;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseProblem;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.bootstrap.embedded.RestoredCluster;
import dev.hapax.bootstrap.server.PostgresTarget;
import dev.hapax.bootstrap.server.SchemaVersion;
import dev.hapax.postgres.restore.RestoreEpoch;
import dev.hapax.postgres.restore.RestoreKind;
import dev.hapax.postgres.restore.RestoreOutcome;
import dev.hapax.postgres.restore.RestoredState;
import dev.hapax.postgres.schema.MigrationException;
import dev.hapax.postgres.schema.Migrations;
import java.io.IOException;
import java.sql.SQLException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Makes a restored or moved database ready for servers: revokes earlier grants, and reports what
 * may have happened since the restored state.
 *
 * @param out takes the lines of the report
 */
public record AfterRestore(ServerConfig config, RestoreKind kind, Consumer<String> out) {

  /** Begins the epoch, and prints the report. */
  public void run() throws Exception {
    switch (config.database()) {
      case DatabaseConfig.Embedded(var dataDir) -> {
        if (EmbeddedDatabase.running(dataDir).isPresent()) {
          throw new IOException("a server uses " + dataDir + ": stop it first");
        }
        if (!EmbeddedDatabase.exists(dataDir)) {
          throw new IOException(dataDir + " has no database: name its folder with --data-dir");
        }
        if (kind == RestoreKind.MOVED) {
          throw new IOException(
              "the built-in PostgreSQL comes from a backup or not at all: name replacement or copy");
        }
        ConfiguredDatabase.use(config, target -> run(target, true));
        RestoredCluster.confirm(dataDir);
      }
      case DatabaseConfig.External(var target, var _, var _) -> run(target, false);
    }
    out.accept("servers can start");
  }

  private RestoreKind run(JdbcTarget target, boolean exclusive) throws IOException {
    var source = PostgresTarget.source(target, config.ledger());
    try {
      prepareSchema(source, exclusive);
      switch (new RestoreEpoch(kind, exclusive).begin(source)) {
        case RestoreOutcome.Begun(var epoch, var state) -> report(epoch, state);
        case RestoreOutcome.Adopted() ->
            out.accept("this database is the original one from now on; all claims are still valid");
        case RestoreOutcome.ServerRuns(var id, var version) ->
            throw new IOException(
                "server %s of version %s uses %s: stop it first; a server that was killed counts as running for 60 s"
                    .formatted(id, version, target));
        case RestoreOutcome.ClockBehind(var behind) ->
            throw new IOException(
                String.format(
                    Locale.ROOT,
                    "the clock of %s is at least %d s behind that of the lost database, so fences would not rise: set it (NTP), then repeat",
                    target,
                    behind.toSeconds()));
      }
      return kind;
    } catch (MigrationException | SQLException e) {
      throw new IOException(DatabaseProblem.of(target, e), e);
    }
  }

  /** A backup may be of an earlier version. */
  private static void prepareSchema(DataSource source, boolean exclusive) throws IOException {
    if (exclusive) {
      Migrations.migrate(source);
      return;
    }
    var problem = new SchemaVersion(source).problem();
    if (problem.isPresent()) {
      throw new IOException("its schema " + problem.get());
    }
  }

  private void report(int epoch, RestoredState state) {
    out.accept(
        state
            .lastHeartbeat()
            .map(
                at ->
                    "restored state: %s, by the last heartbeat of a server"
                        .formatted(at.truncatedTo(ChronoUnit.SECONDS)))
            .orElse("restored state: no server ran in it"));
    out.accept(
        String.format(
            Locale.ROOT, "epoch %d has begun: claims granted before it are refused", epoch));
    reportGrants(state);
    reportCount("indeterminate operations, for `hapax operation resolve`", state.indeterminate());
    reportCount(
        "runs that wait for a signal, which may have been delivered since",
        state.awaitingSignals());
    reportCount("intents posted in SQL, which servers will take", state.pendingIntents());
    reportKeys(state.liveKeys());
  }

  private void reportGrants(RestoredState state) {
    if (state.grantCounts().isEmpty()) {
      out.accept("no work was held");
      return;
    }
    var counts = new TreeMap<>(state.grantCounts());
    out.accept("held then, and perhaps completed since:");
    counts.forEach(
        (held, count) -> out.accept(String.format(Locale.ROOT, "  %s: %d", held, count)));
    var table = new Table("KIND", "WORKSPACE", "NAME", "HOLDER", "LEASE UNTIL");
    state
        .grants()
        .forEach(
            grant ->
                table.add(
                    grant.kind(),
                    grant.workspace(),
                    grant.name(),
                    grant.holder(),
                    grant.leaseUntil().truncatedTo(ChronoUnit.SECONDS).toString()));
    table.lines().forEach(out);
    long all = counts.values().stream().mapToLong(Long::longValue).sum();
    if (all > state.grants().size()) {
      out.accept(String.format(Locale.ROOT, "… and %d more", all - state.grants().size()));
    }
  }

  private void reportCount(String what, long count) {
    if (count > 0) {
      out.accept(String.format(Locale.ROOT, "%s: %d", what, count));
    }
  }

  private void reportKeys(long live) {
    switch (kind) {
      case REPLACEMENT ->
          reportCount("valid API keys, among them those that were revoked since", live);
      case MOVED -> {}
      case COPY -> reportCount("API keys of the original, now revoked", live);
    }
  }
}
