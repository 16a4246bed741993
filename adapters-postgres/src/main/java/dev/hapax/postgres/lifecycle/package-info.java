/** The tables of lifecycles and their cache. */
@NullMarked
package dev.hapax.postgres.lifecycle;

import org.jspecify.annotations.NullMarked;
