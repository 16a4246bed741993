package dev.hapax.bench.peers;

/**
 * The result of one load, with the resource usage of each unit.
 *
 * @param serverMemory resident memory of the Hapax server right after the load, in MiB
 */
record Observation(LoadResult result, Usage perUnit, double serverMemory) {}
