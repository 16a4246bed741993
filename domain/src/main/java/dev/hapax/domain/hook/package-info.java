/** Hook tokens: secrets by which outside callers reach a run, each owned by at most one run. */
@NullMarked
package dev.hapax.domain.hook;

import org.jspecify.annotations.NullMarked;
