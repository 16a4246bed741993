/** Monitoring: events of committed work, and the backlog. */
@NullMarked
package dev.hapax.domain.monitoring;

import org.jspecify.annotations.NullMarked;
