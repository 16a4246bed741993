package dev.hapax.bootstrap.cli.cell;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax cell}. */
public final class CellCommands {
  private CellCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of(
            "cell",
            "Add and list cells, which are further databases behind the same servers, and move workspaces.",
            "Works on the databases themselves, with the settings of `hapax serve`; needs no"
                + " running server.")
        .addTo(
            root,
            environment,
            AddCellCommand::new,
            ListCellsCommand::new,
            MoveWorkspaceCommand::new);
  }
}
