package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.ReleaseClaimRequest;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax claim release}. */
@Command(
    name = "release",
    description = {
      "Takes an entity back from its holder, and shows it: it returns to its former status, or with"
          + " --outcome COMPLETE goes to where success leads. What the holder sends afterwards is refused;"
          + " what it has done elsewhere stays done.",
    },
    exitCodeList = {
      "0:fine",
      "1:failed, or the entity has no holder",
      "2:wrong usage",
      "3:there is no such entity"
    })
final class ReleaseClaimCommand implements Callable<Integer> {
  @Mixin private final EntityArgument one;
  @Mixin private final ChangeOptions change = new ChangeOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--outcome",
      paramLabel = "OUTCOME",
      converter = OutcomeConverter.class,
      description =
          "What is known of the action: REVERT, it was not done; COMPLETE, it was done, and its"
              + " after-effect starts. Default: REVERT")
  private RecoveryVerdict outcome = RecoveryVerdict.REVERT;

  ReleaseClaimCommand(Map<String, String> environment) {
    one = new EntityArgument(environment);
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
            .setOutcome(wire(outcome))
            .build();
    var response =
        one.server()
            .callOnce(
                "--request-id " + id,
                channel -> EntityCommands.entities(channel).releaseClaim(request));
    var out = spec.commandLine().getOut();
    if (response.getAlready() && !one.server().json()) {
      out.println("released already by this request id; as it is now:");
    }
    one.show(response.getEntity(), out);
    return ExitCode.OK;
  }

  private static RecoveryOutcome wire(RecoveryVerdict outcome) {
    return switch (outcome) {
      case COMPLETE -> RecoveryOutcome.RECOVERY_OUTCOME_COMPLETE;
      case REVERT -> RecoveryOutcome.RECOVERY_OUTCOME_REVERT;
    };
  }

  /** As it is typed, or printed by {@code --json}. */
  static final class OutcomeConverter implements ITypeConverter<RecoveryVerdict> {
    @Override
    public RecoveryVerdict convert(String text) {
      return EnumOption.parse(RecoveryVerdict.class, "RECOVERY_OUTCOME_", text);
    }
  }
}
