/** Tokens that decide which run owns something, and what another run does that wants it too. */
@NullMarked
package dev.hapax.domain.hook;

import org.jspecify.annotations.NullMarked;
