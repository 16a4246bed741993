/** The common part of the reads in memory. */
@NullMarked
package dev.hapax.testkit.read;

import org.jspecify.annotations.NullMarked;
