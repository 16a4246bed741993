/** Routes calls to the cell that has their workspace. */
@NullMarked
package dev.hapax.grpc.cell;

import org.jspecify.annotations.NullMarked;
