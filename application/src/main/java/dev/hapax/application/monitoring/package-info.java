/** The backlog and who works on it, for operators. */
@NullMarked
package dev.hapax.application.monitoring;

import org.jspecify.annotations.NullMarked;
