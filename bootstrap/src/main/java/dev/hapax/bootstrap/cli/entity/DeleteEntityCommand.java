package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.DeleteEntityRequest;
import dev.hapax.v1.DeleteEntityResponse;
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
      "Removes an entity that is not claimed, with its history. The event of the deletion stays,"
          + " and so do the runs of its after-effects.",
    },
    exitCodeList = {
      "0:fine",
      "1:failed, or it is claimed",
      "2:wrong usage",
      "3:there is no such entity"
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
            .setActor(ServerOptions.actor())
            .build();
    var response =
        one.server()
            .callOnce(
                "--request-id " + id,
                channel -> EntityCommands.entities(channel).deleteEntity(request));
    var out = spec.commandLine().getOut();
    out.println(one.server().json() ? ValueFormat.json(response) : text(response));
    return response.getDeleted() ? ExitCode.OK : NO_SUCH_ENTITY;
  }

  private String text(DeleteEntityResponse response) {
    if (!response.getDeleted()) {
      return "no entity \"%s\" of lifecycle \"%s\"".formatted(one.id(), one.lifecycle());
    }
    return response.getAlready() ? "deleted already by this request id" : "deleted";
  }
}
