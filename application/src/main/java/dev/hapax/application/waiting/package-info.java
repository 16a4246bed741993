/** Long polling: waiting calls hold memory, but no connection, transaction or thread. */
@NullMarked
package dev.hapax.application.waiting;

import org.jspecify.annotations.NullMarked;
