package dev.hapax.bench;

/** What one load did, and what each unit of it used. */
record Observation(LoadResult result, Usage perUnit) {}
