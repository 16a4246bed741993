/** {@code hapax demo}: an order service that charges each order once, despite crashes. */
@NullMarked
package dev.hapax.bootstrap.demo;

import org.jspecify.annotations.NullMarked;
