/** Limits: runs wait until their steps have room. */
@NullMarked
package dev.hapax.application.limit;

import org.jspecify.annotations.NullMarked;
