package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import dev.hapax.domain.DurationText;
import dev.hapax.postgres.schema.RowLevelSecurity;
import io.grpc.TlsServerCredentials.ClientAuth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** All settings of a server. */
public final class Settings {
  public static final String VARIABLE_PREFIX = "HAPAX_";

  public static final Setting<HostPort> LISTEN =
      plain(
          "listen",
          "HOST:PORT",
          "127.0.0.1:7420",
          "Address of the gRPC server; port 0 picks a free one.",
          HostPort::parse);
  public static final Setting<Path> DATA_DIR =
      plain(
          "data-dir",
          "DIR",
          ".hapax",
          "Data folder of the built-in PostgreSQL; one server per folder.",
          SettingParsers::path);
  public static final Setting<Optional<JdbcUrl>> DATABASE_URL =
      plain(
          "database-url",
          "JDBC_URL",
          "",
          "External PostgreSQL 14..18 to use instead of the built-in one,"
              + " jdbc:postgresql://HOST/DATABASE.",
          text -> SettingParsers.optional(text).map(JdbcUrl::new));
  public static final Setting<Optional<String>> DATABASE_USER =
      plain(
          "database-user", "NAME", "", "User of the external database.", SettingParsers::optional);
  public static final Setting<Optional<String>> DATABASE_PASSWORD =
      new Setting<>(
          "database-password",
          "SECRET",
          "",
          "Password of the external database; prefer HAPAX_DATABASE_PASSWORD, which other users cannot see.",
          Kind.SECRET,
          SettingParsers::optional);
  public static final Setting<Optional<Path>> DATABASE_PASSWORD_FILE =
      plain(
          "database-password-file",
          "FILE",
          "",
          "File with the password of the external database, read again for each new connection.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Duration> DATABASE_WAIT =
      plain(
          "database-wait",
          "DURATION",
          "30s",
          "How long to wait at startup for an external database that does not answer yet.",
          DurationText::parse);
  public static final Setting<MigrationMode> MIGRATE =
      plain(
          "migrate",
          "auto|off",
          "auto",
          "Whether the server migrates the schema at startup; off = it waits for `hapax migrate`, at"
              + " most as long as for its database.",
          SettingParsers::migrationMode);
  public static final Setting<Boolean> ALLOW_UNSAFE_DATABASE =
      toggle(
          "allow-unsafe-database",
          "false",
          "Accept a database with fsync, full_page_writes or synchronous_commit off, which can"
              + " lose acknowledged data. For tests only.",
          SettingParsers::bool);
  public static final Setting<RowLevelSecurity> ROW_LEVEL_SECURITY =
      plain(
          "row-level-security",
          "auto|on|off",
          "auto",
          "Whether PostgreSQL itself keeps workspaces apart; auto = if the database user may assume the"
              + " roles that `hapax migrate` creates.",
          SettingParsers::rowLevelSecurity);
  public static final Setting<Optional<Path>> DEFINITIONS =
      plain(
          "definitions",
          "DIR",
          "",
          "Register the definitions in this folder at startup: *.json, and NAME/*.json for"
              + " workspace NAME.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Optional<Path>> LIFECYCLES =
      plain(
          "lifecycles",
          "DIR",
          "",
          "Declare the janitors and apply the lifecycles in this folder at startup: *.json, and"
              + " NAME/*.json for workspace NAME.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Optional<HostPort>> METRICS_LISTEN =
      plain(
          "metrics-listen",
          "HOST:PORT|off",
          "",
          "Address of the HTTP server for /metrics, /livez and /readyz; port 0 picks a free one. Off by default.",
          SettingParsers::listen);

  /** Where the console listens, for messages. */
  public static final Setting<?> CONSOLE_LISTEN = ConsoleSettings.CONSOLE_LISTEN;

  public static final Setting<Optional<Path>> TLS_CERT =
      plain(
          "tls-cert",
          "FILE",
          "",
          "Certificate of the server in PEM, followed by its issuers; reloaded when it changes.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Optional<Path>> TLS_KEY =
      plain(
          "tls-key",
          "FILE",
          "",
          "Private key of the certificate in PEM, not encrypted.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Optional<Path>> TLS_CLIENT_CA =
      plain(
          "tls-client-ca",
          "FILE",
          "",
          "Certificates in PEM of the authorities that issue client certificates.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Optional<ClientAuth>> TLS_CLIENT_AUTH =
      plain(
          "tls-client-auth",
          "none|optional|require",
          "",
          "Whether a client must have a certificate. Without this setting: require with"
              + " --tls-client-ca, otherwise none.",
          text -> SettingParsers.optional(text).map(SettingParsers::clientAuth));
  public static final Setting<Optional<Path>> TOKEN_ISSUERS =
      plain(
          "token-issuers",
          "FILE",
          "",
          "Accept JSON Web Tokens of the issuers in this file, with the grants that it gives them.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Optional<Path>> CERTIFICATE_IDENTITIES =
      plain(
          "certificate-identities",
          "FILE",
          "",
          "Accept client certificates as the principals in this file.",
          text -> SettingParsers.optional(text).map(SettingParsers::path));
  public static final Setting<Boolean> INSECURE =
      toggle(
          "insecure",
          "false",
          "Accept calls from other machines without encryption or authentication.",
          SettingParsers::bool);
  public static final Setting<Boolean> INSECURE_METRICS =
      toggle(
          "insecure-metrics",
          "false",
          "Serve metrics to other machines, without encryption or authentication.",
          SettingParsers::bool);
  public static final Setting<Optional<Boolean>> AUTHENTICATION =
      toggle(
          "authentication",
          "",
          "Require credentials for every call, such as an API key (hapax key create). On by default"
              + " on addresses that other machines can reach; with --insecure only if there is TLS.",
          text -> SettingParsers.optional(text).map(SettingParsers::bool));
  public static final Setting<Optional<Boolean>> REFLECTION =
      toggle(
          "reflection",
          "",
          "Enable gRPC server reflection, for tools such as grpcurl. On by default on a loopback"
              + " address.",
          text -> SettingParsers.optional(text).map(SettingParsers::bool));
  public static final Setting<Integer> POOL_SIZE =
      plain(
          "pool-size",
          "N",
          "8",
          "Maximum number of database connections.",
          SettingParsers.number(2, 200));
  public static final Setting<Integer> COMMITTERS =
      plain(
          "committers",
          "N",
          "2",
          "Maximum number of batches committed concurrently.",
          SettingParsers.number(1, 64));
  public static final Setting<Integer> BATCH_SIZE =
      plain(
          "batch-size",
          "N",
          "256",
          "Maximum number of commands in a batch.",
          SettingParsers.number(1, 4096));
  public static final Setting<Duration> RUN_RETENTION =
      plain(
          "run-retention",
          "DURATION",
          "30d",
          "How long a run is kept after its end; longer while a key or token refers to it.",
          SettingParsers::retention);
  public static final Setting<Duration> ENTITY_EVENT_RETENTION =
      plain(
          "entity-event-retention",
          "DURATION",
          "365d",
          "How long events of entities are kept; the last 10 of each entity are kept longer.",
          SettingParsers::entityEventRetention);
  public static final Setting<LogFormat> LOG_FORMAT =
      plain(
          "log-format",
          "text|json",
          "text",
          "How lines of the log are written; json writes an object on each line.",
          SettingParsers::logFormat);
  public static final Setting<Duration> DRAIN =
      plain(
          "drain",
          "DURATION",
          "25s",
          "How long calls in flight may take after SIGTERM.",
          DurationText::parse);
  public static final Setting<Duration> SHUTDOWN_DELAY =
      plain(
          "shutdown-delay",
          "DURATION",
          "0s",
          "How long to accept calls after SIGTERM, until load balancers have noticed; 5s behind one.",
          DurationText::parse);

  public static final List<Setting<?>> ALL =
      Stream.concat(
              Stream.<Setting<?>>of(
                  LISTEN,
                  DATA_DIR,
                  DATABASE_URL,
                  DATABASE_USER,
                  DATABASE_PASSWORD,
                  DATABASE_PASSWORD_FILE,
                  DATABASE_WAIT,
                  MIGRATE,
                  ALLOW_UNSAFE_DATABASE,
                  ROW_LEVEL_SECURITY,
                  CellSettings.CELL,
                  CellSettings.CELLS,
                  DEFINITIONS,
                  LIFECYCLES,
                  METRICS_LISTEN,
                  HttpSettings.HTTP_LISTEN,
                  HttpSettings.HTTP_HOSTS,
                  HttpSettings.HTTP_ORIGINS,
                  CONSOLE_LISTEN,
                  ConsoleSettings.CONSOLE_HOSTS,
                  ConsoleSettings.CONSOLE_LOG_LINK,
                  TLS_CERT,
                  TLS_KEY,
                  TLS_CLIENT_CA,
                  TLS_CLIENT_AUTH,
                  TOKEN_ISSUERS,
                  CERTIFICATE_IDENTITIES,
                  INSECURE,
                  INSECURE_METRICS,
                  AUTHENTICATION,
                  REFLECTION,
                  POOL_SIZE,
                  COMMITTERS,
                  BATCH_SIZE,
                  RUN_RETENTION,
                  ENTITY_EVENT_RETENTION,
                  LOG_FORMAT,
                  DRAIN,
                  SHUTDOWN_DELAY),
              LimitSettings.ALL.stream())
          .toList();

  private Settings() {}

  static <T> Setting<T> plain(
      String name, String label, String fallback, String doc, Function<String, T> parser) {
    return new Setting<>(name, label, fallback, doc, Kind.PLAIN, parser);
  }

  private static <T> Setting<T> toggle(
      String name, String fallback, String doc, Function<String, T> parser) {
    return new Setting<>(name, "true|false", fallback, doc, Kind.SWITCH, parser);
  }
}
