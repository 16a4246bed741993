package dev.hapax.bootstrap.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The configuration of one server.
 *
 * @param effective all values in one line for the log, with masked secrets
 */
public record ServerConfig(
    HostPort listen,
    DatabaseConfig database,
    Optional<Path> definitions,
    Optional<Path> lifecycles,
    Optional<HostPort> metricsListen,
    boolean reflection,
    LedgerConfig ledger,
    CallerLimits limits,
    Duration drain,
    String effective) {

  /** The settings of the ledger: concurrency, batches and retention. */
  public record LedgerConfig(
      int poolSize,
      int committers,
      int batchSize,
      Duration runRetention,
      Duration entityEventRetention) {}

  /** The settings of limits: what one caller, and all callers together, may take. */
  public record CallerLimits(
      int connections,
      int connectionsPerAddress,
      int callsPerWorkspace,
      int callsPerPrincipal,
      int watchesPerWorkspace,
      int watchesPerPrincipal) {}

  static ServerConfig from(SettingValues values) throws ConfigurationException {
    var listen = values.get(Settings.LISTEN);
    var metricsListen = values.get(Settings.METRICS_LISTEN);
    boolean loopback = isPrivate(values, Settings.LISTEN, listen);
    metricsListen.ifPresent(address -> isPrivate(values, Settings.METRICS_LISTEN, address));
    var config =
        new ServerConfig(
            listen,
            database(values),
            folder(values, Settings.DEFINITIONS),
            folder(values, Settings.LIFECYCLES),
            metricsListen,
            values.get(Settings.REFLECTION).orElse(loopback),
            ledger(values),
            limits(values),
            values.get(Settings.DRAIN),
            values.describe());
    values.check();
    return config;
  }

  /** Requires {@code --insecure} for an address that other machines can reach. */
  private static boolean isPrivate(SettingValues values, Setting<?> setting, HostPort address) {
    var loopback = isLoopback(values, setting, address);
    if (!loopback && !values.get(Settings.INSECURE)) {
      values.problem(
          setting,
          "other machines can reach this address, and calls are neither encrypted nor"
              + " authenticated. Listen on 127.0.0.1, or add --insecure (HAPAX_INSECURE=true) if"
              + " every client that can reach it may use it");
    }
    return loopback;
  }

  private static boolean isLoopback(SettingValues values, Setting<?> setting, HostPort address) {
    try {
      return address.isLoopback();
    } catch (IllegalArgumentException e) {
      values.problem(setting, String.valueOf(e.getMessage()));
      return true;
    }
  }

  private static Optional<Path> folder(SettingValues values, Setting<Optional<Path>> setting) {
    var folder = values.get(setting);
    if (folder.isPresent() && !Files.isDirectory(folder.get())) {
      values.problem(setting, "is not a folder");
    }
    return folder;
  }

  private static DatabaseConfig database(SettingValues values) {
    var user = values.get(Settings.DATABASE_USER);
    var password = values.get(Settings.DATABASE_PASSWORD);
    var url = values.get(Settings.DATABASE_URL);
    if (url.isPresent()) {
      return new DatabaseConfig.External(
          new JdbcTarget(url.get(), user, password),
          values.get(Settings.DATABASE_WAIT),
          values.get(Settings.ALLOW_UNSAFE_DATABASE));
    }
    if (!values.isGiven(Settings.DATABASE_URL)) {
      user.ifPresent(_ -> values.problem(Settings.DATABASE_USER, "needs --database-url"));
      password.ifPresent(_ -> values.problem(Settings.DATABASE_PASSWORD, "needs --database-url"));
    }
    return new DatabaseConfig.Embedded(values.get(Settings.DATA_DIR));
  }

  private static CallerLimits limits(SettingValues values) {
    return new CallerLimits(
        values.get(Settings.MAX_CONNECTIONS),
        values.get(Settings.MAX_CONNECTIONS_PER_ADDRESS),
        values.get(Settings.CALLS_PER_WORKSPACE),
        values.get(Settings.CALLS_PER_PRINCIPAL),
        values.get(Settings.WATCHES_PER_WORKSPACE),
        values.get(Settings.WATCHES_PER_PRINCIPAL));
  }

  private static LedgerConfig ledger(SettingValues values) {
    int poolSize = values.get(Settings.POOL_SIZE);
    int committers = values.get(Settings.COMMITTERS);
    if (committers >= poolSize) {
      values.problem(
          Settings.COMMITTERS,
          "each committer needs a connection, and reads need one more (--pool-size)");
    }
    return new LedgerConfig(
        poolSize,
        committers,
        values.get(Settings.BATCH_SIZE),
        values.get(Settings.RUN_RETENTION),
        values.get(Settings.ENTITY_EVENT_RETENTION));
  }
}
