/** {@code hapax bench}: what this machine does, as ratios to baselines of the same run. */
@NullMarked
package dev.hapax.bootstrap.bench;

import org.jspecify.annotations.NullMarked;
