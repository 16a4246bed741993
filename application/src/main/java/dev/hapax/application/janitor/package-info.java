/** Janitors: hosted sweeps, and recoveries that modules poll. */
@NullMarked
package dev.hapax.application.janitor;

import org.jspecify.annotations.NullMarked;
