/** {@code hapax intent}: lists and awaits intents. */
@NullMarked
package dev.hapax.bootstrap.cli.intent;

import org.jspecify.annotations.NullMarked;
