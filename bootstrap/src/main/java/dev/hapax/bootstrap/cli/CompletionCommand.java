package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.cli.document.CompletionShell;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax completion}. */
@Command(
    name = "completion",
    description = {
      "Print the completion script of a shell.",
      "Enable it in bash with: source <(hapax completion)",
      "In fish with: hapax completion fish | source",
      "In zsh with: hapax completion zsh >~/.zfunc/_hapax, and that folder in fpath"
    })
final class CompletionCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      description = "${COMPLETION-CANDIDATES}. Default: bash")
  private CompletionShell shell = CompletionShell.BASH;

  @Override
  public void run() {
    spec.commandLine().getOut().print(shell.script(spec.root().commandLine()));
    spec.commandLine().getOut().flush();
  }
}
