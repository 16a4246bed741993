/** Spans of callers and of the server (OpenTelemetry). */
@NullMarked
package dev.hapax.grpc.trace;

import org.jspecify.annotations.NullMarked;
