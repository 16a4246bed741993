/** Intents: requests that applications commit with their own database transactions. */
@NullMarked
package dev.hapax.domain.intent;

import org.jspecify.annotations.NullMarked;
