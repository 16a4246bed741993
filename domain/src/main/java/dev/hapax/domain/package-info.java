/** Values that all features share. Every instance is valid. */
@NullMarked
package dev.hapax.domain;

import org.jspecify.annotations.NullMarked;
