package dev.hapax.bench.peers;

/**
 * Resource usage: CPU time in microseconds by process, and write-ahead log in bytes.
 *
 * @param client process of the load; for a library this is the whole application
 * @param server Hapax server; 0 for the other peers
 * @param postgres all processes of PostgreSQL
 */
record Usage(double client, double server, double postgres, double walBytes) {

  /** Returns the usage since {@code before}, divided by the number of units. */
  Usage perUnitSince(Usage before, long units) {
    return new Usage(
        (client - before.client) / units,
        (server - before.server) / units,
        (postgres - before.postgres) / units,
        (walBytes - before.walBytes) / units);
  }
}
