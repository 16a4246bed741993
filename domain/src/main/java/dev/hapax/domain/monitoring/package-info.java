/** What operators watch: events of work as they are committed, and the backlog. */
@NullMarked
package dev.hapax.domain.monitoring;

import org.jspecify.annotations.NullMarked;
