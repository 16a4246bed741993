/** Definitions without a database. */
@NullMarked
package dev.hapax.testkit.definition;

import org.jspecify.annotations.NullMarked;
