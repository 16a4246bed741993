package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListLifecyclesResponse;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax lifecycle}. */
public final class LifecycleCommands {
  private LifecycleCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("lifecycle", "Validate, draw, apply and show lifecycles of entities.")
        .addTo(
            root,
            environment,
            _ -> new ValidateLifecyclesCommand(),
            GraphLifecycleCommand::new,
            ApplyLifecyclesCommand::new,
            list(),
            get());
  }

  private static Subcommand list() {
    return RpcCommand.of("list", "List lifecycles.")
        .calls(LifecycleServiceGrpc.getListLifecyclesMethod())
        .lists(ListLifecyclesResponse::getLifecyclesList, LifecycleText.COLUMNS, "no lifecycles");
  }

  private static Subcommand get() {
    return RpcCommand.of(
            "get",
            "Show a lifecycle with its steps for each requester.",
            "--json includes the JSON document to apply it again.")
        .argument("name", "NAME", "Name of the lifecycle, such as billing.")
        .absent("no such lifecycle")
        .calls(LifecycleServiceGrpc.getGetLifecycleMethod())
        .shows(GetLifecycleResponse::getLifecycle, LifecycleText::lines);
  }
}
