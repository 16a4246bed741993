/** Idempotency keys for RPC handlers: check, claim, complete, replay. */
@NullMarked
package dev.hapax.domain.operation;

import org.jspecify.annotations.NullMarked;
