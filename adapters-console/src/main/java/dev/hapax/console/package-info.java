/** The console: pages for operators, made of calls of the API as the operator's own principal. */
@NullMarked
package dev.hapax.console;

import org.jspecify.annotations.NullMarked;
