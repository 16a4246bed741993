/** Calls that wait cost memory only: no connection, no transaction, no thread. */
@NullMarked
package dev.hapax.application.waiting;

import org.jspecify.annotations.NullMarked;
