package dev.hapax.bootstrap.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax completion}. */
@Command(
    name = "completion",
    description = {
      "Print the completion script for bash and zsh.",
      "Enable it with: source <(hapax completion)"
    })
final class CompletionCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    var root = spec.root().commandLine();
    spec.commandLine().getOut().println(AutoComplete.bash("hapax", root));
  }
}
