/** The identity of a caller, and its permissions in each workspace. */
@NullMarked
package dev.hapax.domain.security;

import org.jspecify.annotations.NullMarked;
