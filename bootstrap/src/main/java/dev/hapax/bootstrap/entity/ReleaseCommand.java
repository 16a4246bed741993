package dev.hapax.bootstrap.entity;

import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.v1.ReleaseClaimRequest;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Why, for the history of the entity.")
  private String reason = "";

  @Option(
      names = "--expected-version",
      paramLabel = "N",
      description = "Only if the entity has this version. Default: whichever it has")
  private long expectedVersion;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description = "Repeats an earlier release whose answer was lost. Default: a new one")
  private Optional<String> requestId = Optional.empty();

  ReleaseCommand(Map<String, String> environment) {
    one = new OneEntity(environment);
  }

  @Override
  public Integer call() throws Exception {
    var id = requestId.orElseGet(() -> UUID.randomUUID().toString());
    var request =
        ReleaseClaimRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setLifecycle(one.lifecycle())
            .setEntityId(one.id())
            .setRequestId(id)
            .setReason(reason)
            .setExpectedVersion(expectedVersion)
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
