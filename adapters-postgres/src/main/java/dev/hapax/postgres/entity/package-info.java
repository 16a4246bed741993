/** The tables of entities and of their histories. */
@NullMarked
package dev.hapax.postgres.entity;

import org.jspecify.annotations.NullMarked;
