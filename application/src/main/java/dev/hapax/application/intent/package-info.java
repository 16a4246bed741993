/** Takes the intents that applications post in their own transactions. */
@NullMarked
package dev.hapax.application.intent;

import org.jspecify.annotations.NullMarked;
