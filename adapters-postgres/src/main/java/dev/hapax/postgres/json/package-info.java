/** JSON that the domain decides on, as the text that is stored. */
@NullMarked
package dev.hapax.postgres.json;

import org.jspecify.annotations.NullMarked;
