/** Entities in memory. */
@NullMarked
package dev.hapax.testkit.entity;

import org.jspecify.annotations.NullMarked;
