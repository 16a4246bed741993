/** The values every feature shares. A value that exists is valid. */
@NullMarked
package dev.hapax.domain;

import org.jspecify.annotations.NullMarked;
