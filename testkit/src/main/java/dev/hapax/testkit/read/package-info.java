/** What the reads in memory have in common. */
@NullMarked
package dev.hapax.testkit.read;

import org.jspecify.annotations.NullMarked;
