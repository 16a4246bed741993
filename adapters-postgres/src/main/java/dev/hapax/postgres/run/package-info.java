/** The tables of runs and their reads. */
@NullMarked
package dev.hapax.postgres.run;

import org.jspecify.annotations.NullMarked;
