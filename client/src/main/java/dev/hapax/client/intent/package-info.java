/**
 * Intents: requests that an application commits with its own database transaction. Start with
 * {@link dev.hapax.client.intent.Intents}.
 */
@NullMarked
package dev.hapax.client.intent;

import org.jspecify.annotations.NullMarked;
