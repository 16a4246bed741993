/** Entities that follow lifecycles: exclusive actions, their recovery and their after-effects. */
@NullMarked
package dev.hapax.domain.entity;

import org.jspecify.annotations.NullMarked;
