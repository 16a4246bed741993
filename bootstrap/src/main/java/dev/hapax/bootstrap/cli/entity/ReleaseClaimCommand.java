package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.domain.entity.RecoveryVerdict;
import dev.hapax.v1.EntityServiceGrpc;
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
      "Release the claim of an entity and show the entity. It reverts to its former status or, with"
          + " --outcome COMPLETE, moves on as after a success. Later calls of the holder are rejected;"
          + " its effects on other systems stay.",
    },
    exitCodeList = {
      "0:success",
      "1:failure, or the entity has no holder",
      "2:invalid usage",
      "3:no such entity"
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
          "Outcome of the action: REVERT, it was not done; COMPLETE, it was done, and its"
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
            .setActor(ConnectionOptions.actor())
            .setOutcome(wire(outcome))
            .build();
    var response =
        one.server()
            .callOnce(
                "--request-id " + id,
                hapax -> hapax.call(EntityServiceGrpc.getReleaseClaimMethod(), request));
    var out = spec.commandLine().getOut();
    if (response.getAlready() && !one.server().json()) {
      out.println("already released with this request id; current state:");
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

  /** Parses the name as typed or as printed by {@code --json}. */
  static final class OutcomeConverter implements ITypeConverter<RecoveryVerdict> {
    @Override
    public RecoveryVerdict convert(String text) {
      return EnumOption.parse(RecoveryVerdict.class, "RECOVERY_OUTCOME_", text);
    }
  }
}
