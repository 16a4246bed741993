/** The server: startup, health, readiness, metrics and shutdown. */
@NullMarked
package dev.hapax.bootstrap.server;

import org.jspecify.annotations.NullMarked;
