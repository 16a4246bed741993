/** The first page. */
@NullMarked
package dev.hapax.console.overview;

import org.jspecify.annotations.NullMarked;
