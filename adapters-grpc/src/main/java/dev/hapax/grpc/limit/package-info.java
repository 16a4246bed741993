/** LimitService. */
@NullMarked
package dev.hapax.grpc.limit;

import org.jspecify.annotations.NullMarked;
