/** Hooks: tokens, such as {@code order/4711}, by which callers reach the one run that owns them. */
@NullMarked
package dev.hapax.domain.hook;

import org.jspecify.annotations.NullMarked;
