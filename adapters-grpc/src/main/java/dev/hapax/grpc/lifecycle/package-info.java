/** LifecycleService. */
@NullMarked
package dev.hapax.grpc.lifecycle;

import org.jspecify.annotations.NullMarked;
