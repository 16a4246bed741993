@NullMarked
package dev.hapax.console.lifecycle;

import org.jspecify.annotations.NullMarked;
