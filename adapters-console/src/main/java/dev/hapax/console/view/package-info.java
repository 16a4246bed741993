/** The parts that several pages show: texts of values, and the frame around a page. */
@NullMarked
package dev.hapax.console.view;

import org.jspecify.annotations.NullMarked;
