/**
 * Makes HTTP handlers idempotent in a servlet container: {@link
 * dev.hapax.servlet.IdempotencyFilter} is the start.
 */
@NullMarked
package dev.hapax.servlet;

import org.jspecify.annotations.NullMarked;
