/** The files that say which certificates and tokens are which principals. */
@NullMarked
package dev.hapax.bootstrap.identity;

import org.jspecify.annotations.NullMarked;
