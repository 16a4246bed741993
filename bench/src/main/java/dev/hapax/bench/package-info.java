/** {@code ./hapax bench}: rates and latencies of this machine, as ratios to baselines. */
@NullMarked
package dev.hapax.bench;

import org.jspecify.annotations.NullMarked;
