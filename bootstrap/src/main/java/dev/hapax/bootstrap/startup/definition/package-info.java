/** Definition files, which a server reads, checks and registers at startup. */
@NullMarked
package dev.hapax.bootstrap.startup.definition;

import org.jspecify.annotations.NullMarked;
