package dev.hapax.bootstrap.config;

import dev.hapax.domain.DurationText;
import dev.hapax.postgres.schema.RowLevelSecurity;
import io.grpc.TlsServerCredentials.ClientAuth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Parses the text of settings; an invalid text throws IllegalArgumentException. */
final class SettingParsers {
  static final String OFF = "off";

  private static final Duration MAX_RETENTION = Duration.ofDays(3_650);

  private SettingParsers() {}

  static Optional<String> optional(String text) {
    return Optional.of(text).filter(value -> !value.isBlank());
  }

  /** An address, or {@code off}, which is as if the setting were absent. */
  static Optional<HostPort> listen(String text) {
    return text.equals(OFF) ? Optional.empty() : optional(text).map(HostPort::parse);
  }

  static Set<String> names(String text) {
    return Arrays.stream(text.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(Collectors.toSet());
  }

  static Path path(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("must not be empty");
    }
    return Path.of(text).toAbsolutePath().normalize();
  }

  static ClientAuth clientAuth(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "none" -> ClientAuth.NONE;
      case "optional" -> ClientAuth.OPTIONAL;
      case "require" -> ClientAuth.REQUIRE;
      default -> throw new IllegalArgumentException("must be none, optional or require");
    };
  }

  static RowLevelSecurity rowLevelSecurity(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "auto" -> RowLevelSecurity.AUTO;
      case "on" -> RowLevelSecurity.ON;
      case "off" -> RowLevelSecurity.OFF;
      default -> throw new IllegalArgumentException("must be auto, on or off");
    };
  }

  static LogFormat logFormat(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "text" -> LogFormat.TEXT;
      case "json" -> LogFormat.JSON;
      default -> throw new IllegalArgumentException("must be text or json");
    };
  }

  static MigrationMode migrationMode(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "auto" -> MigrationMode.AUTO;
      case "off" -> MigrationMode.OFF;
      default -> throw new IllegalArgumentException("must be auto or off");
    };
  }

  static boolean bool(String text) {
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
  static Duration entityEventRetention(String text) {
    var retention = retention(text);
    if (retention.compareTo(Duration.ofDays(1)) < 0) {
      throw new IllegalArgumentException("must be at least 1d");
    }
    return retention;
  }

  static Duration retention(String text) {
    var retention = DurationText.parse(text);
    if (retention.compareTo(MAX_RETENTION) > 0) {
      throw new IllegalArgumentException("must be at most 3650d (ten years)");
    }
    return retention;
  }
}
