/** Pages of runs. */
@NullMarked
package dev.hapax.console.run;

import org.jspecify.annotations.NullMarked;
