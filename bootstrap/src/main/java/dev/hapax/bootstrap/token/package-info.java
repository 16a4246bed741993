/** Verifies JSON Web Tokens of trusted issuers. */
@NullMarked
package dev.hapax.bootstrap.token;

import org.jspecify.annotations.NullMarked;
