/**
 * Lifecycles: the statuses of entities and the steps between them, their documents, and the change
 * of a lifecycle while entities follow it.
 */
@NullMarked
package dev.hapax.domain.lifecycle;

import org.jspecify.annotations.NullMarked;
