/** What all commands that ask a server have in common. */
@NullMarked
package dev.hapax.bootstrap.remote;

import org.jspecify.annotations.NullMarked;
