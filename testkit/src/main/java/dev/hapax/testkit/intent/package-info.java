/** Intents in memory. */
@NullMarked
package dev.hapax.testkit.intent;

import org.jspecify.annotations.NullMarked;
