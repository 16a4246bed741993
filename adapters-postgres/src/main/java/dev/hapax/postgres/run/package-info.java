/** The tables of runs, what is read from them, and how. */
@NullMarked
package dev.hapax.postgres.run;

import org.jspecify.annotations.NullMarked;
