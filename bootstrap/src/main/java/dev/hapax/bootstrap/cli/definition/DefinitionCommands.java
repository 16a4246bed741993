package dev.hapax.bootstrap.cli.definition;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.bootstrap.cli.call.VersionOption;
import dev.hapax.v1.DefinitionServiceGrpc;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.ListDefinitionsResponse;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax definition}. */
public final class DefinitionCommands {
  private DefinitionCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("definition", "Register and show definitions of runs.")
        .addTo(root, environment, ApplyDefinitionsCommand::new, list(), get());
  }

  private static Subcommand list() {
    return RpcCommand.of(
            "list", "List versions of definitions, the most recently registered first.")
        .option("--name", "NAME", "Only versions of this definition.")
        .calls(DefinitionServiceGrpc.getListDefinitionsMethod())
        .lists(
            ListDefinitionsResponse::getDefinitionsList, DefinitionText.COLUMNS, "no definitions");
  }

  private static Subcommand get() {
    var version = new VersionOption();
    return RpcCommand.of("get", "Show a version of a definition.")
        .with(
            version,
            request -> ((GetDefinitionRequest.Builder) request).setVersion(version.version()))
        .argument("name", "NAME", "Name of the definition.")
        .absent("no such definition")
        .calls(DefinitionServiceGrpc.getGetDefinitionMethod())
        .shows(GetDefinitionResponse::getDefinition, DefinitionText::lines);
  }
}
