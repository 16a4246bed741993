package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import dev.hapax.domain.DurationText;
import dev.hapax.postgres.schema.RowLevelSecurity;
import io.grpc.TlsServerCredentials.ClientAuth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** All settings of a server. */
public final class Settings {
  public static final String VARIABLE_PREFIX = "HAPAX_";

  private static final Duration MAX_RETENTION = Duration.ofDays(3_650);

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
          Settings::path);
  public static final Setting<Optional<JdbcUrl>> DATABASE_URL =
      plain(
          "database-url",
          "JDBC_URL",
          "",
          "External PostgreSQL 14..18 to use instead of the built-in one,"
              + " jdbc:postgresql://HOST/DATABASE.",
          text -> optional(text).map(JdbcUrl::new));
  public static final Setting<Optional<String>> DATABASE_USER =
      plain("database-user", "NAME", "", "User of the external database.", Settings::optional);
  public static final Setting<Optional<String>> DATABASE_PASSWORD =
      new Setting<>(
          "database-password",
          "SECRET",
          "",
          "Password of the external database; prefer HAPAX_DATABASE_PASSWORD, which other users cannot see.",
          Kind.SECRET,
          Settings::optional);
  public static final Setting<Optional<Path>> DATABASE_PASSWORD_FILE =
      plain(
          "database-password-file",
          "FILE",
          "",
          "File with the password of the external database, read again for each new connection.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Duration> DATABASE_WAIT =
      plain(
          "database-wait",
          "DURATION",
          "30s",
          "How long to wait at startup for an external database that does not answer yet.",
          DurationText::parse);
  public static final Setting<Boolean> ALLOW_UNSAFE_DATABASE =
      toggle(
          "allow-unsafe-database",
          "false",
          "Accept a database with fsync, full_page_writes or synchronous_commit off, which can"
              + " lose acknowledged data. For tests only.",
          Settings::bool);
  public static final Setting<RowLevelSecurity> ROW_LEVEL_SECURITY =
      plain(
          "row-level-security",
          "auto|on|off",
          "auto",
          "Whether PostgreSQL itself keeps workspaces apart; auto = if the database user may assume the"
              + " roles that `hapax migrate` creates.",
          Settings::rowLevelSecurity);
  public static final Setting<Optional<Path>> DEFINITIONS =
      plain(
          "definitions",
          "DIR",
          "",
          "Register the definitions in this folder at startup: *.json, and NAME/*.json for"
              + " workspace NAME.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Optional<Path>> LIFECYCLES =
      plain(
          "lifecycles",
          "DIR",
          "",
          "Declare the janitors and apply the lifecycles in this folder at startup: *.json, and"
              + " NAME/*.json for workspace NAME.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Optional<HostPort>> METRICS_LISTEN =
      plain(
          "metrics-listen",
          "HOST:PORT",
          "",
          "Address of the HTTP server for /metrics, /livez and /readyz; port 0 picks a free one. Off by default.",
          text -> optional(text).map(HostPort::parse));
  public static final Setting<Optional<Path>> TLS_CERT =
      plain(
          "tls-cert",
          "FILE",
          "",
          "Certificate of the server in PEM, followed by its issuers; reloaded when it changes.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Optional<Path>> TLS_KEY =
      plain(
          "tls-key",
          "FILE",
          "",
          "Private key of the certificate in PEM, not encrypted.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Optional<Path>> TLS_CLIENT_CA =
      plain(
          "tls-client-ca",
          "FILE",
          "",
          "Certificates in PEM of the authorities that issue client certificates.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Optional<ClientAuth>> TLS_CLIENT_AUTH =
      plain(
          "tls-client-auth",
          "none|optional|require",
          "",
          "Whether a client must have a certificate. Without this setting: require with"
              + " --tls-client-ca, otherwise none.",
          text -> optional(text).map(Settings::clientAuth));
  public static final Setting<Optional<Path>> TOKEN_ISSUERS =
      plain(
          "token-issuers",
          "FILE",
          "",
          "Accept JSON Web Tokens of the issuers in this file, with the grants that it gives them.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Optional<Path>> CERTIFICATE_IDENTITIES =
      plain(
          "certificate-identities",
          "FILE",
          "",
          "Accept client certificates as the principals in this file.",
          text -> optional(text).map(Settings::path));
  public static final Setting<Boolean> INSECURE =
      toggle(
          "insecure",
          "false",
          "Accept addresses that other machines can reach without encryption or authentication.",
          Settings::bool);
  public static final Setting<Optional<Boolean>> AUTHENTICATION =
      toggle(
          "authentication",
          "",
          "Require credentials for every call, such as an API key (hapax key create). On by default"
              + " on addresses that other machines can reach; with --insecure only if there is TLS.",
          text -> optional(text).map(Settings::bool));
  public static final Setting<Optional<Boolean>> REFLECTION =
      toggle(
          "reflection",
          "",
          "Enable gRPC server reflection, for tools such as grpcurl. On by default on a loopback"
              + " address.",
          text -> optional(text).map(Settings::bool));
  public static final Setting<Integer> POOL_SIZE =
      plain("pool-size", "N", "8", "Maximum number of database connections.", number(2, 200));
  public static final Setting<Integer> COMMITTERS =
      plain(
          "committers",
          "N",
          "2",
          "Maximum number of batches committed concurrently.",
          number(1, 64));
  public static final Setting<Integer> BATCH_SIZE =
      plain("batch-size", "N", "256", "Maximum number of commands in a batch.", number(1, 4096));
  public static final Setting<Duration> RUN_RETENTION =
      plain(
          "run-retention",
          "DURATION",
          "30d",
          "How long a run is kept after its end; longer while a key or token refers to it.",
          Settings::retention);
  public static final Setting<Duration> ENTITY_EVENT_RETENTION =
      plain(
          "entity-event-retention",
          "DURATION",
          "365d",
          "How long events of entities are kept; the last 10 of each entity are kept longer.",
          Settings::entityEventRetention);
  public static final Setting<Duration> DRAIN =
      plain(
          "drain",
          "DURATION",
          "25s",
          "How long calls in flight may take after SIGTERM.",
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
                  ALLOW_UNSAFE_DATABASE,
                  ROW_LEVEL_SECURITY,
                  DEFINITIONS,
                  LIFECYCLES,
                  METRICS_LISTEN,
                  TLS_CERT,
                  TLS_KEY,
                  TLS_CLIENT_CA,
                  TLS_CLIENT_AUTH,
                  TOKEN_ISSUERS,
                  CERTIFICATE_IDENTITIES,
                  INSECURE,
                  AUTHENTICATION,
                  REFLECTION,
                  POOL_SIZE,
                  COMMITTERS,
                  BATCH_SIZE,
                  RUN_RETENTION,
                  ENTITY_EVENT_RETENTION,
                  DRAIN),
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

  private static Optional<String> optional(String text) {
    return Optional.of(text).filter(value -> !value.isBlank());
  }

  private static Path path(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("must not be empty");
    }
    return Path.of(text).toAbsolutePath().normalize();
  }

  private static ClientAuth clientAuth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "none" -> ClientAuth.NONE;
      case "optional" -> ClientAuth.OPTIONAL;
      case "require" -> ClientAuth.REQUIRE;
      default -> throw new IllegalArgumentException("must be none, optional or require");
    };
  }

  private static RowLevelSecurity rowLevelSecurity(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "auto" -> RowLevelSecurity.AUTO;
      case "on" -> RowLevelSecurity.ON;
      case "off" -> RowLevelSecurity.OFF;
      default -> throw new IllegalArgumentException("must be auto, on or off");
    };
  }

  private static boolean bool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("must be true or false");
    };
  }

  static Function<String, Integer> number(int min, int max) {
    return text -> {
      if (text.matches("[0-9]{1,9}")) {
        int value = Integer.parseInt(text);
        if (value >= min && value <= max) {
          return value;
        }
      }
      throw new IllegalArgumentException("must be a number from " + min + " to " + max);
    };
  }

  /** At least a day: a lease may last that long, and its holder may repeat the completion. */
  private static Duration entityEventRetention(String text) {
    var retention = retention(text);
    if (retention.compareTo(Duration.ofDays(1)) < 0) {
      throw new IllegalArgumentException("must be at least 1d");
    }
    return retention;
  }

  private static Duration retention(String text) {
    var retention = DurationText.parse(text);
    if (retention.compareTo(MAX_RETENTION) > 0) {
      throw new IllegalArgumentException("must be at most 3650d (ten years)");
    }
    return retention;
  }
}
