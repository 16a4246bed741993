/** The epoch that begins after a database was restored to an earlier state. */
@NullMarked
package dev.hapax.postgres.restore;

import org.jspecify.annotations.NullMarked;
