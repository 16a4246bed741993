/** Monitoring for operators: the backlog and its workers. */
@NullMarked
package dev.hapax.application.monitoring;

import org.jspecify.annotations.NullMarked;
