/** {@code hapax entity} and {@code hapax claim}. */
@NullMarked
package dev.hapax.bootstrap.cli.entity;

import org.jspecify.annotations.NullMarked;
