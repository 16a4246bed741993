/** Hapax as a real process: started, killed, stopped, and what it says. */
@NullMarked
package dev.hapax.bootstrap.process;

import org.jspecify.annotations.NullMarked;
