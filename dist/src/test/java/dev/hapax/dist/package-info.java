/** The files of {@code deploy/} are complete, and a server accepts what they configure. */
@NullMarked
package dev.hapax.dist;

import org.jspecify.annotations.NullMarked;
