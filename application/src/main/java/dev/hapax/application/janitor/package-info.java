/** Janitors: those that this server is, and those that ask it. */
@NullMarked
package dev.hapax.application.janitor;

import org.jspecify.annotations.NullMarked;
