package dev.hapax.bench.peers;

/**
 * Resource usage: CPU time in microseconds by process, and write-ahead log in bytes.
 *
 * @param client process of the load; for a library this is the whole application
 * @param server server of the peer, with its database if that is another one; NaN = unknown
 * @param postgres all processes of the PostgreSQL of the bench
 * @param walBytes of this PostgreSQL; NaN = the peer has another database
 */
record Usage(double client, double server, double postgres, double walBytes) {

  /** Returns the CPU time of all processes but those of an unknown server. */
  double knownTime() {
    return client + (Double.isNaN(server) ? 0 : server) + postgres;
  }

  /** Returns the usage since {@code before}, divided by the number of units. */
  Usage perUnitSince(Usage before, long units) {
    return new Usage(
        (client - before.client) / units,
        (server - before.server) / units,
        (postgres - before.postgres) / units,
        (walBytes - before.walBytes) / units);
  }
}
