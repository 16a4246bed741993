/** What all commands that ask a server have in common. */
@NullMarked
package dev.hapax.bootstrap.cli.call;

import org.jspecify.annotations.NullMarked;
