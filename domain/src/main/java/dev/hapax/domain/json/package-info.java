/** JSON that the domain evaluates: a run's state and lifecycles. Payloads stay text. */
@NullMarked
package dev.hapax.domain.json;

import org.jspecify.annotations.NullMarked;
