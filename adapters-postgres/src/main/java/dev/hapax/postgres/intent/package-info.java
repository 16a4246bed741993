/** The tables of intents: the inbox, and the outcomes. */
@NullMarked
package dev.hapax.postgres.intent;

import org.jspecify.annotations.NullMarked;
