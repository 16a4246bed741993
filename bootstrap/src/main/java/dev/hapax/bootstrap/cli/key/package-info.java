/** {@code hapax key}: creates, lists, rotates and revokes API keys, directly in the database. */
@NullMarked
package dev.hapax.bootstrap.cli.key;

import org.jspecify.annotations.NullMarked;
