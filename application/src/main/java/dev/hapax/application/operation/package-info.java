/** Idempotency keys for RPC handlers. */
@NullMarked
package dev.hapax.application.operation;

import org.jspecify.annotations.NullMarked;
