/** Tokens: who owns what, and what a duplicate does. */
@NullMarked
package dev.hapax.application.hook;

import org.jspecify.annotations.NullMarked;
