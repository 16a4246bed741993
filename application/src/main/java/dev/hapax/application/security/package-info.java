/** Authenticates callers from what this server keeps in memory. */
@NullMarked
package dev.hapax.application.security;

import org.jspecify.annotations.NullMarked;
