/** Where operations are kept. */
@NullMarked
package dev.hapax.postgres.operation;

import org.jspecify.annotations.NullMarked;
