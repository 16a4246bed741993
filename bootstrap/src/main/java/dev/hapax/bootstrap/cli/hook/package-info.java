/** {@code hapax hook}: who owns a token, and how to reach or free it. */
@NullMarked
package dev.hapax.bootstrap.cli.hook;

import org.jspecify.annotations.NullMarked;
