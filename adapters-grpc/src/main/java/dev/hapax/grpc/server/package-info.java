/** The server itself: transport, limits, health. */
@NullMarked
package dev.hapax.grpc.server;

import org.jspecify.annotations.NullMarked;
