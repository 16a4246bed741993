/** What can be set, where it may be set, and the values that hold. */
@NullMarked
package dev.hapax.bootstrap.config;

import org.jspecify.annotations.NullMarked;
