/** Entities and the actions on them. */
@NullMarked
package dev.hapax.application.entity;

import org.jspecify.annotations.NullMarked;
