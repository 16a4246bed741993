/**
 * What the running server must do, row by row, asked over gRPC as a client of any language would.
 */
@NullMarked
package dev.hapax.bootstrap.acceptance;

import org.jspecify.annotations.NullMarked;
