package dev.hapax.bootstrap.entity;

import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.v1.ReleaseClaimRequest;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax claim release}. */
@Command(
    name = "release",
    description = {
      "Takes an entity back from whoever has it, and shows it: it goes back to where it was. What"
          + " the holder sends afterwards is refused; what it has done elsewhere stays done.",
    },
    exitCodeList = {
      "0:fine",
      "1:failed, or nobody has it",
      "2:wrong usage",
      "3:there is no such entity"
    })
final class ReleaseCommand implements Callable<Integer> {
  @Mixin private final OneEntity one;
  @Mixin private final ChangeOptions change = new ChangeOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  ReleaseCommand(Map<String, String> environment) {
    one = new OneEntity(environment);
  }

  @Override
  public Integer call() throws Exception {
    var id = change.requestId();
    var request =
        ReleaseClaimRequest.newBuilder()
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
                channel -> EntityCommand.entities(channel).releaseClaim(request));
    var out = spec.commandLine().getOut();
    if (response.getAlready() && !one.server().json()) {
      out.println("released already by this request id; as it is now:");
    }
    one.show(response.getEntity(), out);
    return ExitCode.OK;
  }
}
