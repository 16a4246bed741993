/** Stores API keys. */
@NullMarked
package dev.hapax.postgres.security;

import org.jspecify.annotations.NullMarked;
