package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.v1.CreateEntityRequest;
import dev.hapax.v1.EntityServiceGrpc;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax entity create}. */
@Command(
    name = "create",
    description = {
      "Create an entity that follows a lifecycle, and show it.",
      "An existing entity is not changed."
    },
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such lifecycle"})
final class CreateEntityCommand implements Callable<Integer> {
  @Mixin private final EntityArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--status",
      required = true,
      paramLabel = "STATUS",
      description = "Initial status: a status of the lifecycle that is not a claim state.")
  private String status = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded in the history of the entity.")
  private String reason = "";

  CreateEntityCommand(Map<String, String> environment) {
    one = new EntityArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        CreateEntityRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setLifecycle(one.lifecycle())
            .setEntityId(one.id())
            .setStatus(status)
            .setActor(ConnectionOptions.actor())
            .setReason(reason)
            .build();
    var response =
        one.server().call(hapax -> hapax.call(EntityServiceGrpc.getCreateEntityMethod(), request));
    var out = spec.commandLine().getOut();
    if (response.getAlready() && !one.server().json()) {
      out.println("already exists; current state:");
    }
    one.show(response.getEntity(), out);
    return ExitCode.OK;
  }
}
