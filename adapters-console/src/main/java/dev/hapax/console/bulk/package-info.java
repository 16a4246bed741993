/** Changes of all runs that match a filter. */
@NullMarked
package dev.hapax.console.bulk;

import org.jspecify.annotations.NullMarked;
