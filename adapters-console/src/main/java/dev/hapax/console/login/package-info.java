/** The page where an operator presents credentials. */
@NullMarked
package dev.hapax.console.login;

import org.jspecify.annotations.NullMarked;
