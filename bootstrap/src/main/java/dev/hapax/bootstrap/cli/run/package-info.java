/** {@code hapax run}: starts runs, follows and explains them, and steers them by hand. */
@NullMarked
package dev.hapax.bootstrap.cli.run;

import org.jspecify.annotations.NullMarked;
