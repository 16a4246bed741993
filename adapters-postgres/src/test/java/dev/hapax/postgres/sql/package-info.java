/** The SQL that the adapter sends, compared with golden files. */
@NullMarked
package dev.hapax.postgres.sql;

import org.jspecify.annotations.NullMarked;
