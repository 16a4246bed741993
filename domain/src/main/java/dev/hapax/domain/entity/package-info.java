/**
 * Entities that move through lifecycles: one action at a time where it is claimed, and what follows
 * from it.
 */
@NullMarked
package dev.hapax.domain.entity;

import org.jspecify.annotations.NullMarked;
