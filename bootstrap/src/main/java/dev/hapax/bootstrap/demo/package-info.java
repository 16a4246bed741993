/** {@code hapax demo}: an order service that charges once, whatever happens to it. */
@NullMarked
package dev.hapax.bootstrap.demo;

import org.jspecify.annotations.NullMarked;
