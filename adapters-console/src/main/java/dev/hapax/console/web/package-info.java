/** Requests of browsers: who may make them, which page answers, and what is sent. */
@NullMarked
package dev.hapax.console.web;

import org.jspecify.annotations.NullMarked;
