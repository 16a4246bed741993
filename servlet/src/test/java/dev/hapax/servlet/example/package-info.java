/** The program of the README. */
@NullMarked
package dev.hapax.servlet.example;

import org.jspecify.annotations.NullMarked;
