/** Meters of a {@link dev.hapax.client.Hapax} in Micrometer. */
@NullMarked
package dev.hapax.micrometer;

import org.jspecify.annotations.NullMarked;
