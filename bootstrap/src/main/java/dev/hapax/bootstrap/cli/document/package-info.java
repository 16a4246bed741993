/** The man page and the completion scripts, derived from the commands and their options. */
@NullMarked
package dev.hapax.bootstrap.cli.document;

import org.jspecify.annotations.NullMarked;
