package dev.hapax.bootstrap.config;

import dev.hapax.bootstrap.config.Setting.Kind;
import dev.hapax.domain.DurationText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Every setting there is. */
public final class Settings {
  public static final String VARIABLE_PREFIX = "HAPAX_";

  private static final Duration MAX_RETENTION = Duration.ofDays(3_650);

  public static final Setting<HostPort> LISTEN =
      plain(
          "listen",
          "HOST:PORT",
          "127.0.0.1:7420",
          "Where to serve; port 0 picks a free one.",
          HostPort::parse);
  public static final Setting<Path> DATA_DIR =
      plain(
          "data-dir",
          "DIR",
          ".hapax",
          "Where the built-in PostgreSQL keeps its data; one server per folder.",
          Settings::folder);
  public static final Setting<Optional<JdbcUrl>> DATABASE_URL =
      plain(
          "database-url",
          "JDBC_URL",
          "",
          "A PostgreSQL 14..18 of yours, jdbc:postgresql://HOST/DATABASE, instead of the built-in"
              + " one.",
          text -> optional(text).map(JdbcUrl::new));
  public static final Setting<Optional<String>> DATABASE_USER =
      plain("database-user", "NAME", "", "Its user.", Settings::optional);
  public static final Setting<Optional<String>> DATABASE_PASSWORD =
      new Setting<>(
          "database-password",
          "SECRET",
          "",
          "Its password; better in HAPAX_DATABASE_PASSWORD, where other users cannot see it.",
          Kind.SECRET,
          Settings::optional);
  public static final Setting<Duration> DATABASE_WAIT =
      plain(
          "database-wait",
          "DURATION",
          "30s",
          "How long to wait at the start for a database of yours that does not answer yet.",
          DurationText::parse);
  public static final Setting<Boolean> ALLOW_UNSAFE_DATABASE =
      toggle(
          "allow-unsafe-database",
          "false",
          "Serve on a database with fsync, full_page_writes or synchronous_commit off, which can"
              + " lose what was acknowledged. For tests.",
          Settings::bool);
  public static final Setting<Optional<Path>> DEFINITIONS =
      plain(
          "definitions",
          "DIR",
          "",
          "Register the definitions in this folder at the start: *.json, and NAME/*.json for"
              + " workspace NAME.",
          text -> optional(text).map(Settings::folder));
  public static final Setting<Optional<Path>> LIFECYCLES =
      plain(
          "lifecycles",
          "DIR",
          "",
          "Declare the janitors and apply the lifecycles in this folder at the start: *.json, and"
              + " NAME/*.json for workspace NAME.",
          text -> optional(text).map(Settings::folder));
  public static final Setting<Optional<HostPort>> METRICS_LISTEN =
      plain(
          "metrics-listen",
          "HOST:PORT",
          "",
          "Where Prometheus gets metrics, at /metrics; port 0 picks a free one. Off unless set.",
          text -> optional(text).map(HostPort::parse));
  public static final Setting<Boolean> INSECURE =
      toggle(
          "insecure",
          "false",
          "Serve other machines too, without encryption or authentication.",
          Settings::bool);
  public static final Setting<Optional<Boolean>> REFLECTION =
      toggle(
          "reflection",
          "",
          "Let tools such as grpcurl ask for the API. On by default where only this machine can"
              + " ask.",
          text -> optional(text).map(Settings::bool));
  public static final Setting<Integer> POOL_SIZE =
      plain("pool-size", "N", "8", "Database connections.", number(2, 200));
  public static final Setting<Integer> COMMITTERS =
      plain(
          "committers",
          "N",
          "2",
          "Batches committed at the same time, while many commands wait.",
          number(1, 64));
  public static final Setting<Integer> BATCH_SIZE =
      plain("batch-size", "N", "256", "Commands in one batch, at most.", number(1, 4096));
  public static final Setting<Duration> RUN_RETENTION =
      plain(
          "run-retention",
          "DURATION",
          "30d",
          "How long a run is kept after its end; longer while a key or a token remembers it.",
          Settings::retention);
  public static final Setting<Duration> ENTITY_EVENT_RETENTION =
      plain(
          "entity-event-retention",
          "DURATION",
          "365d",
          "How long the events of entities are kept; the last 10 of an entity stay.",
          Settings::entityEventRetention);
  public static final Setting<Duration> DRAIN =
      plain(
          "drain",
          "DURATION",
          "25s",
          "How long calls under way may take after SIGTERM.",
          DurationText::parse);

  public static final List<Setting<?>> ALL =
      List.of(
          LISTEN,
          DATA_DIR,
          DATABASE_URL,
          DATABASE_USER,
          DATABASE_PASSWORD,
          DATABASE_WAIT,
          ALLOW_UNSAFE_DATABASE,
          DEFINITIONS,
          LIFECYCLES,
          METRICS_LISTEN,
          INSECURE,
          REFLECTION,
          POOL_SIZE,
          COMMITTERS,
          BATCH_SIZE,
          RUN_RETENTION,
          ENTITY_EVENT_RETENTION,
          DRAIN);

  private Settings() {}

  private static <T> Setting<T> plain(
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

  private static Path folder(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("must name a folder");
    }
    return Path.of(text).toAbsolutePath().normalize();
  }

  private static boolean bool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("must be true or false");
    };
  }

  private static Function<String, Integer> number(int min, int max) {
    return text -> {
      if (text.matches("[0-9]{1,9}")) {
        int value = Integer.parseInt(text);
        if (value >= min && value <= max) {
          return value;
        }
      }
      throw new IllegalArgumentException("must be a number, " + min + ".." + max);
    };
  }

  /** A lease may last a day, and its holder may ask once more what became of it. */
  private static Duration entityEventRetention(String text) {
    var retention = retention(text);
    if (retention.compareTo(Duration.ofDays(1)) < 0) {
      throw new IllegalArgumentException("must be 1d at least");
    }
    return retention;
  }

  private static Duration retention(String text) {
    var retention = DurationText.parse(text);
    if (retention.compareTo(MAX_RETENTION) > 0) {
      throw new IllegalArgumentException("must be 3650d (ten years) at most");
    }
    return retention;
  }
}
