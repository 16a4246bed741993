/** PostgreSQL: the one door is {@link dev.hapax.postgres.PostgresStore}. */
@NullMarked
package dev.hapax.postgres;

import org.jspecify.annotations.NullMarked;
