/** The shop of {@code docs/tutorial.md}. */
@NullMarked
package dev.hapax.examples.tutorial;

import org.jspecify.annotations.NullMarked;
