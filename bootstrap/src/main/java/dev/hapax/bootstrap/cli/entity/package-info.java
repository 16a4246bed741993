/** {@code hapax entity} and {@code hapax claim}: what entities do, and who has them. */
@NullMarked
package dev.hapax.bootstrap.cli.entity;

import org.jspecify.annotations.NullMarked;
