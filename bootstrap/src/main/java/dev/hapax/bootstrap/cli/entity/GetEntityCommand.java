package dev.hapax.bootstrap.cli.entity;

import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.GetEntityRequest;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax entity get}. */
@Command(
    name = "get",
    aliases = "show",
    description = "Show an entity and its holder.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such entity"})
final class GetEntityCommand implements Callable<Integer> {
  @Mixin private final EntityArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  GetEntityCommand(Map<String, String> environment) {
    one = new EntityArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        GetEntityRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setLifecycle(one.lifecycle())
            .setEntityId(one.id())
            .build();
    var response =
        one.server().call(hapax -> hapax.call(EntityServiceGrpc.getGetEntityMethod(), request));
    one.show(response.getEntity(), spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
