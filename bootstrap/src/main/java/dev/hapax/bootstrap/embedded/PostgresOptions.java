package dev.hapax.bootstrap.embedded;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The settings of the built-in PostgreSQL: durable, and sized for a small machine. */
final class PostgresOptions {
  private static final List<String> DURABLE =
      List.of("fsync=on", "full_page_writes=on", "synchronous_commit=on");

  private static final List<String> REACHABLE =
      List.of("listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=220");

  // rare checkpoints, since after each one the next change of a page logs the whole page
  private static final List<String> SIZED =
      List.of(
          "shared_buffers=128MB",
          "max_wal_size=2GB",
          "min_wal_size=256MB",
          "checkpoint_timeout=15min",
          "checkpoint_completion_target=0.9",
          "wal_compression=pglz",
          "random_page_cost=1.1",
          "jit=off");

  // errors of statements are not logged: the client gets them, and they could fill the disk
  private static final List<String> QUIET =
      List.of("log_min_messages=log", "log_checkpoints=off", "timezone=UTC", "log_timezone=UTC");

  private PostgresOptions() {}

  /** Returns the settings in the form of {@code pg_ctl -o}. */
  static String commandLine(int port) {
    return Stream.of(List.of("port=" + port), REACHABLE, SIZED, QUIET, DURABLE)
        .flatMap(List::stream)
        .map(option -> "-c " + option)
        .collect(Collectors.joining(" "));
  }
}
