package dev.hapax.bootstrap.config;

import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import dev.hapax.grpc.tls.TlsFiles;
import dev.hapax.postgres.DatabasePassword;
import dev.hapax.postgres.schema.RowLevelSecurity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The configuration of one server.
 *
 * @param httpHosts the names by which clients without credentials reach the HTTP ports
 * @param httpOrigins the web pages that may call
 * @param tls empty = calls are not encrypted
 * @param authentication whether every call needs credentials
 * @param shutdownDelay how long a server that stops still accepts calls
 * @param warnings what the operator accepted and should not forget
 * @param effective all values in one line for the log, with masked secrets
 */
public record ServerConfig(
    HostPort listen,
    DatabaseConfig database,
    CellsConfig cells,
    MigrationMode migrate,
    Optional<Path> definitions,
    Optional<Path> lifecycles,
    Optional<HostPort> metricsListen,
    Optional<HostPort> httpListen,
    Set<String> httpHosts,
    Set<String> httpOrigins,
    Optional<ConsoleListen> consoleListen,
    Optional<TlsFiles> tls,
    Optional<Path> tokenIssuers,
    Optional<Path> certificateIdentities,
    boolean authentication,
    boolean reflection,
    LedgerConfig ledger,
    ConnectionLimits connections,
    CallerLimits callers,
    LogFormat logFormat,
    Duration drain,
    Duration shutdownDelay,
    List<String> warnings,
    String effective) {

  /** The settings of the ledger: concurrency, batches, retention and row-level security. */
  public record LedgerConfig(
      int poolSize,
      int committers,
      int batchSize,
      Duration runRetention,
      Duration entityEventRetention,
      RowLevelSecurity rowLevelSecurity) {}

  // time to close connections, and for the last checkpoint of a built-in PostgreSQL
  private static final Duration STOP_ALLOWANCE = Duration.ofSeconds(60);

  /** How long a stop takes at most; after that the process ends by itself, with exit code 1. */
  public Duration stopTimeout() {
    return shutdownDelay.plus(drain).plus(STOP_ALLOWANCE);
  }

  /** Whether other machines can reach an address at which this server accepts calls. */
  public boolean isReachableByOthers() {
    return Stream.of(Optional.of(listen), httpListen, consoleListen.map(ConsoleListen::address))
        .flatMap(Optional::stream)
        .anyMatch(address -> !address.isLoopback());
  }

  static ServerConfig from(SettingValues values) throws ConfigurationException {
    var listen = values.get(Settings.LISTEN);
    var metricsListen = values.get(Settings.METRICS_LISTEN);
    var httpListen = values.get(HttpSettings.HTTP_LISTEN);
    var tls = TlsSettings.read(values);
    boolean loopback = isLoopback(values, Settings.LISTEN, listen);
    boolean httpLoopback =
        httpListen
            .map(address -> isLoopback(values, HttpSettings.HTTP_LISTEN, address))
            .orElse(true);
    var console = ConsoleSettings.read(values, listen, loopback);
    boolean consoleLoopback =
        console
            .map(each -> isLoopback(values, Settings.CONSOLE_LISTEN, each.address()))
            .orElse(true);
    boolean authentication =
        authentication(values, loopback && httpLoopback && consoleLoopback, tls);
    var warnings = new ArrayList<String>();
    check(
            values,
            Settings.LISTEN,
            Exposure.ofCalls(listen, loopback, tls.isPresent(), authentication))
        .ifPresent(warnings::add);
    httpListen
        .map(address -> Exposure.ofCalls(address, httpLoopback, tls.isPresent(), authentication))
        .flatMap(exposure -> check(values, HttpSettings.HTTP_LISTEN, exposure))
        .ifPresent(warnings::add);
    console
        .map(
            each ->
                Exposure.ofCalls(each.address(), consoleLoopback, tls.isPresent(), authentication))
        .flatMap(exposure -> check(values, Settings.CONSOLE_LISTEN, exposure))
        .ifPresent(warnings::add);
    metricsListen
        .map(
            address ->
                Exposure.ofMetrics(address, isLoopback(values, Settings.METRICS_LISTEN, address)))
        .flatMap(exposure -> check(values, Settings.METRICS_LISTEN, exposure))
        .ifPresent(warnings::add);
    var login = new JdbcLogin(values.get(Settings.DATABASE_USER), password(values));
    var database = database(values, login);
    var config =
        new ServerConfig(
            listen,
            database,
            CellSettings.read(values, login),
            values.get(Settings.MIGRATE),
            folder(values, Settings.DEFINITIONS),
            folder(values, Settings.LIFECYCLES),
            metricsListen,
            httpListen,
            HttpSettings.hosts(values, httpListen, metricsListen),
            httpOrigins(values, httpListen),
            console,
            tls,
            values.get(Settings.TOKEN_ISSUERS),
            values.get(Settings.CERTIFICATE_IDENTITIES),
            authentication,
            values.get(Settings.REFLECTION).orElse(loopback),
            ledger(values),
            LimitSettings.connections(values),
            LimitSettings.callers(values),
            values.get(Settings.LOG_FORMAT),
            values.get(Settings.DRAIN),
            values.get(Settings.SHUTDOWN_DELAY),
            List.copyOf(warnings),
            values.describe());
    values.check();
    return config;
  }

  private static Set<String> httpOrigins(SettingValues values, Optional<HostPort> listen) {
    var origins = values.get(HttpSettings.HTTP_ORIGINS);
    if (!origins.isEmpty() && listen.isEmpty()) {
      values.problem(HttpSettings.HTTP_ORIGINS, "needs --http-listen");
    }
    return origins;
  }

  /** Without the setting: on where others can call, and where identities are configured. */
  private static boolean authentication(
      SettingValues values, boolean loopback, Optional<TlsFiles> tls) {
    var given = values.get(Settings.AUTHENTICATION);
    var identities =
        Stream.of(Settings.TOKEN_ISSUERS, Settings.CERTIFICATE_IDENTITIES)
            .filter(setting -> values.get(setting).isPresent())
            .toList();
    if (!given.orElse(true)) {
      identities.forEach(
          setting ->
              values.problem(setting, "needs authentication; remove --authentication=false"));
    }
    if (values.get(Settings.CERTIFICATE_IDENTITIES).isPresent()
        && tls.flatMap(TlsFiles::clients).isEmpty()) {
      values.problem(
          Settings.CERTIFICATE_IDENTITIES,
          "needs --tls-client-ca, the authorities that issue client certificates");
    }
    return given.orElse(
        !identities.isEmpty()
            || (!loopback && (tls.isPresent() || !values.get(Settings.INSECURE))));
  }

  /** Returns the warning if the operator has consented; otherwise the problem is recorded. */
  private static Optional<String> check(
      SettingValues values, Setting<?> setting, Exposure exposure) {
    if (values.get(exposure.consent())) {
      return exposure.warning();
    }
    exposure.problem().ifPresent(problem -> values.problem(setting, problem));
    return Optional.empty();
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

  private static DatabaseConfig database(SettingValues values, JdbcLogin login) {
    var url = values.get(Settings.DATABASE_URL);
    if (url.isPresent()) {
      return new DatabaseConfig.External(
          new JdbcTarget(url.get(), login.user(), login.password()),
          values.get(Settings.DATABASE_WAIT),
          values.get(Settings.ALLOW_UNSAFE_DATABASE));
    }
    if (!values.isGiven(Settings.DATABASE_URL)) {
      login.user().ifPresent(_ -> values.problem(Settings.DATABASE_USER, "needs --database-url"));
      for (var setting : List.of(Settings.DATABASE_PASSWORD, Settings.DATABASE_PASSWORD_FILE)) {
        if (values.isGiven(setting)) {
          values.problem(setting, "needs --database-url");
        }
      }
    }
    var dataDir = values.get(Settings.DATA_DIR);
    DatabaseConfig.Embedded.problem(dataDir)
        .ifPresent(problem -> values.problem(Settings.DATA_DIR, problem));
    return new DatabaseConfig.Embedded(dataDir);
  }

  private static DatabasePassword password(SettingValues values) {
    var text = values.get(Settings.DATABASE_PASSWORD);
    var file = values.get(Settings.DATABASE_PASSWORD_FILE);
    if (text.isPresent() && file.isPresent()) {
      values.problem(Settings.DATABASE_PASSWORD_FILE, "--database-password is given as well");
    }
    if (file.isPresent()) {
      var inFile = new DatabasePassword.InFile(file.get());
      try {
        inFile.current();
      } catch (SQLException e) {
        values.problem(Settings.DATABASE_PASSWORD_FILE, String.valueOf(e.getMessage()));
      }
      return inFile;
    }
    return text.<DatabasePassword>map(DatabasePassword.Text::new)
        .orElseGet(DatabasePassword.None::new);
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
        values.get(Settings.ENTITY_EVENT_RETENTION),
        values.get(Settings.ROW_LEVEL_SECURITY));
  }
}
