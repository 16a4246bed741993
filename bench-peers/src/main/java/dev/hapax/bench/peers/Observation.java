package dev.hapax.bench.peers;

/**
 * The result of one load, with the resource usage of each unit.
 *
 * @param serverMemory resident memory of the server right after the load, in MiB; NaN = unknown
 */
record Observation(LoadResult result, Usage perUnit, double serverMemory) {}
