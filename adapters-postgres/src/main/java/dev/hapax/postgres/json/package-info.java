/** JSON of the domain as stored text. */
@NullMarked
package dev.hapax.postgres.json;

import org.jspecify.annotations.NullMarked;
