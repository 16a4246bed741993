@NullMarked
package dev.hapax.console;

import org.jspecify.annotations.NullMarked;
