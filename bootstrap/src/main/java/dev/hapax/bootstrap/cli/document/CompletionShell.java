package dev.hapax.bootstrap.cli.document;

import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;

/** A shell that completes commands and options. */
public enum CompletionShell {
  BASH("bash-completion/completions/hapax"),
  ZSH("zsh/vendor-completions/_hapax"),
  FISH("fish/vendor_completions.d/hapax.fish");

  private final String path;

  CompletionShell(String path) {
    this.path = path;
  }

  /** Returns where the shell finds its script, below a folder such as /usr/share. */
  String path() {
    return path;
  }

  public String script(CommandLine root) {
    var command = new DocumentedCommand(root.getCommandSpec());
    return switch (this) {
      // a script that is sourced names no interpreter
      case BASH -> AutoComplete.bash(command.name(), root).replaceFirst("#!.*\\R", "") + "\n";
      case ZSH -> ZshCompletion.script(command);
      case FISH -> FishCompletion.script(command);
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
