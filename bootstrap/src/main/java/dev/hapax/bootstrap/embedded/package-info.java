/** The built-in PostgreSQL: programs, data folder and process. */
@NullMarked
package dev.hapax.bootstrap.embedded;

import org.jspecify.annotations.NullMarked;
