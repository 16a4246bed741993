/** How the client library is used. */
@NullMarked
package dev.hapax.examples;

import org.jspecify.annotations.NullMarked;
