/** HookService. */
@NullMarked
package dev.hapax.grpc.hook;

import org.jspecify.annotations.NullMarked;
