/** Lifecycles: apply and change them while entities follow them. */
@NullMarked
package dev.hapax.application.lifecycle;

import org.jspecify.annotations.NullMarked;
