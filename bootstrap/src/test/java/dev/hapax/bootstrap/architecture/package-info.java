/** The house rules as tests: who may know whom, and how files are kept. */
@NullMarked
package dev.hapax.bootstrap.architecture;

import org.jspecify.annotations.NullMarked;
