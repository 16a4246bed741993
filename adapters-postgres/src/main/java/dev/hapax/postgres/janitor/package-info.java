/** The tables of janitors and of their rounds. */
@NullMarked
package dev.hapax.postgres.janitor;

import org.jspecify.annotations.NullMarked;
