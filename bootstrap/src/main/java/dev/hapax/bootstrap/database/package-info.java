/**
 * Single connections to PostgreSQL for startup and checks; the pool of a server is in
 * adapters-postgres.
 */
@NullMarked
package dev.hapax.bootstrap.database;

import org.jspecify.annotations.NullMarked;
