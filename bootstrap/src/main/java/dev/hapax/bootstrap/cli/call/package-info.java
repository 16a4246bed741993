/**
 * Shared by all commands that call a server. The class {@code …Commands} of a noun describes its
 * commands: an {@link dev.hapax.bootstrap.cli.call.RpcCommand} has the help and the options, and an
 * {@link dev.hapax.bootstrap.cli.call.RpcOutput} the method and what is printed. A command that
 * does more is a class of its own.
 */
@NullMarked
package dev.hapax.bootstrap.cli.call;

import org.jspecify.annotations.NullMarked;
