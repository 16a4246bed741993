/** Entities, with their claims and histories. */
@NullMarked
package dev.hapax.console.entity;

import org.jspecify.annotations.NullMarked;
