/** Authenticates and authorizes calls. */
@NullMarked
package dev.hapax.grpc.security;

import org.jspecify.annotations.NullMarked;
