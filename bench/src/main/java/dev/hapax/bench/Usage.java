package dev.hapax.bench;

/**
 * What was used: CPU time in microseconds by process, and write-ahead log in bytes.
 *
 * @param client of the process that makes the load; with a library that is the whole application
 * @param server of the server of Hapax; 0 for the others
 * @param postgres of all processes of PostgreSQL
 */
record Usage(double client, double server, double postgres, double walBytes) {

  /** The part of one unit in what was used since then. */
  Usage perUnitSince(Usage before, long units) {
    return new Usage(
        (client - before.client) / units,
        (server - before.server) / units,
        (postgres - before.postgres) / units,
        (walBytes - before.walBytes) / units);
  }
}
