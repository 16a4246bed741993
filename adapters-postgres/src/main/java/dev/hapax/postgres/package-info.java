/** The PostgreSQL adapter; {@link dev.hapax.postgres.PostgresStore} is its entry point. */
@NullMarked
package dev.hapax.postgres;

import org.jspecify.annotations.NullMarked;
