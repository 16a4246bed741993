/** The gRPC server: transport, limits and health. */
@NullMarked
package dev.hapax.grpc.server;

import org.jspecify.annotations.NullMarked;
