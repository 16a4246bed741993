/** Hapax in a Spring Boot application: its client, workers, health and meters. */
@NullMarked
package dev.hapax.spring;

import org.jspecify.annotations.NullMarked;
