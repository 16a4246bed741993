package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.EntityServiceGrpc.EntityServiceBlockingStub;
import io.grpc.Channel;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax entity}. */
@Command(
    name = "entity",
    description = "Creates entities that follow a lifecycle, shows and deletes them.")
public final class EntityCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
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

  static EntityServiceBlockingStub entities(Channel channel) {
    return ServerOptions.soon(EntityServiceGrpc.newBlockingStub(channel));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "what to do is missing: create, get, list, events or delete");
  }
}
