/** The contract of the kits, which the client libraries of all languages fulfil. */
@NullMarked
package dev.hapax.bootstrap.kit;

import org.jspecify.annotations.NullMarked;
