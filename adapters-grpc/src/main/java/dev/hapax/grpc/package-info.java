/** The server side of hapax.v1: decode, call, encode. */
@NullMarked
package dev.hapax.grpc;

import org.jspecify.annotations.NullMarked;
