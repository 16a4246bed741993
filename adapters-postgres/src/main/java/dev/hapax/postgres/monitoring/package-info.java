/** The backlog, counted by indexes. */
@NullMarked
package dev.hapax.postgres.monitoring;

import org.jspecify.annotations.NullMarked;
