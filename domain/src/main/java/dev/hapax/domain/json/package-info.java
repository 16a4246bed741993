/** JSON that is decided on: a run's state, lifecycles. What is only kept stays text. */
@NullMarked
package dev.hapax.domain.json;

import org.jspecify.annotations.NullMarked;
