/**
 * {@code hapax sql}: grants database roles the right to post intents, directly in the database, and
 * prints the outbox for other databases.
 */
@NullMarked
package dev.hapax.bootstrap.cli.sql;

import org.jspecify.annotations.NullMarked;
