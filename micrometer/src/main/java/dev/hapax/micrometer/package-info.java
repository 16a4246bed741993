/** Meters of a {@link dev.hapax.client.HapaxClient} in Micrometer. */
@NullMarked
package dev.hapax.micrometer;

import org.jspecify.annotations.NullMarked;
