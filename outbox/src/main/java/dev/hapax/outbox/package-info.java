/**
 * The outbox of a database without a Hapax server: {@link dev.hapax.outbox.OutboxRelay} sends what
 * an application posted there in its own transactions.
 */
@NullMarked
package dev.hapax.outbox;

import org.jspecify.annotations.NullMarked;
