/** Counts of the backlog, and facts of the database. */
@NullMarked
package dev.hapax.postgres.monitoring;

import org.jspecify.annotations.NullMarked;
