/**
 * Connections to PostgreSQL for starting and checking; the server's own pool is in
 * adapters-postgres.
 */
@NullMarked
package dev.hapax.bootstrap.database;

import org.jspecify.annotations.NullMarked;
