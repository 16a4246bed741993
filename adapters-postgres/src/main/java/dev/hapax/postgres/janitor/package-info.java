/** The tables of janitors and of their sweeps. */
@NullMarked
package dev.hapax.postgres.janitor;

import org.jspecify.annotations.NullMarked;
