package dev.hapax.bench.peers;

/** The result of one load, with the resource usage of each unit. */
record Observation(LoadResult result, Usage perUnit) {}
