package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
import dev.hapax.v1.EntityServiceGrpc;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax entity delete}. */
@Command(
    name = "delete",
    description = {
      "Delete an entity that is not claimed, with its history. The event of the deletion and the"
          + " runs of its after-effects are kept.",
    },
    exitCodeList = {
      "0:success",
      "1:failure, or the entity is claimed",
      "2:invalid usage",
      "3:no such entity"
    })
final class DeleteEntityCommand implements Callable<Integer> {
  private static final int NO_SUCH_ENTITY = 3;

  @Mixin private final EntityArgument one;
  @Mixin private final ChangeOptions change = new ChangeOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  DeleteEntityCommand(Map<String, String> environment) {
    one = new EntityArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var id = change.requestId();
    var request =
        DeleteEntityRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setLifecycle(one.lifecycle())
            .setEntityId(one.id())
            .setRequestId(id)
            .setReason(change.reason())
            .setExpectedVersion(change.expectedVersion())
            .setActor(ConnectionOptions.actor())
            .build();
    var response =
        one.server()
            .callOnce(
                "--request-id " + id,
                hapax -> hapax.call(EntityServiceGrpc.getDeleteEntityMethod(), request));
    var out = spec.commandLine().getOut();
    out.println(one.server().json() ? ValueFormat.json(response) : text(response));
    return response.getDeleted() ? ExitCode.OK : NO_SUCH_ENTITY;
  }

  private String text(DeleteEntityResponse response) {
    if (!response.getDeleted()) {
      return "no entity \"%s\" of lifecycle \"%s\"".formatted(one.id(), one.lifecycle());
    }
    return response.getAlready() ? "already deleted with this request id" : "deleted";
  }
}
