/** {@code hapax janitor}: who frees what is stuck, and whether it is in time. */
@NullMarked
package dev.hapax.bootstrap.cli.janitor;

import org.jspecify.annotations.NullMarked;
