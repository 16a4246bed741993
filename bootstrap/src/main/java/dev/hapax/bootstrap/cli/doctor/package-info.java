/** {@code hapax doctor}: checks of the machine, the configuration and the database. */
@NullMarked
package dev.hapax.bootstrap.cli.doctor;

import org.jspecify.annotations.NullMarked;
