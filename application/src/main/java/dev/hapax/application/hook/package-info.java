/** Hook tokens: create, signal, dispose and find their owners. */
@NullMarked
package dev.hapax.application.hook;

import org.jspecify.annotations.NullMarked;
