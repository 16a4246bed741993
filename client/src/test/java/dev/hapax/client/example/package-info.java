/** Workflows as users write them, and tests of them: with nothing but what is public. */
@NullMarked
package dev.hapax.client.example;

import org.jspecify.annotations.NullMarked;
