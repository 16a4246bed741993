/** The tables of operations and their reads. */
@NullMarked
package dev.hapax.postgres.operation;

import org.jspecify.annotations.NullMarked;
