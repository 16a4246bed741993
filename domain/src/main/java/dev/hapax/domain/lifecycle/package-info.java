/**
 * The statuses of entities and the steps between them, as a document declares them; and how one
 * takes the place of another while entities follow it.
 */
@NullMarked
package dev.hapax.domain.lifecycle;

import org.jspecify.annotations.NullMarked;
