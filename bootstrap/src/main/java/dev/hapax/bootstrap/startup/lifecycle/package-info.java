/** Lifecycle and janitor files, which a server reads, checks and applies at startup. */
@NullMarked
package dev.hapax.bootstrap.startup.lifecycle;

import org.jspecify.annotations.NullMarked;
