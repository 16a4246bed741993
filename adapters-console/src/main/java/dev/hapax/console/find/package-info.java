/** Leads from an id to its page. */
@NullMarked
package dev.hapax.console.find;

import org.jspecify.annotations.NullMarked;
