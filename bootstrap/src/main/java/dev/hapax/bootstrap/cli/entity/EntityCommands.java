package dev.hapax.bootstrap.cli.entity;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax entity}. */
@Command(name = "entity", description = "Create, show and delete entities that follow a lifecycle.")
public final class EntityCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the command to the root first, so that its subcommands inherit options from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var entity = new CommandLine(new EntityCommands());
    root.addSubcommand(entity);
    entity
        .addSubcommand(new CreateEntityCommand(environment))
        .addSubcommand(new GetEntityCommand(environment))
        .addSubcommand(new ListEntitiesCommand(environment))
        .addSubcommand(new ListEntityEventsCommand(environment))
        .addSubcommand(new DeleteEntityCommand(environment));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing subcommand: create, get, list, events or delete");
  }
}
