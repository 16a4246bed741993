/** The tables of lifecycles, and what is remembered of them. */
@NullMarked
package dev.hapax.postgres.lifecycle;

import org.jspecify.annotations.NullMarked;
