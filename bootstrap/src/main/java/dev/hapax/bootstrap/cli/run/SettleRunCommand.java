package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.client.Hapax;
import dev.hapax.v1.Payload;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.SettleStepResponse;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax run settle}. */
@Command(
    name = "settle",
    description = {
      "Settle a step or part by what you found out about its effect.",
      "Settles the current step of a FAILED run, or with --part a part of the current step. No"
          + " worker may hold the step. Prints the run."
    },
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class SettleRunCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "ID", description = "ID of the run, such as run_01k….")
  private String id = "";

  @ArgGroup(multiplicity = "1")
  private VerdictOptions verdict = new VerdictOptions();

  @Option(
      names = "--reason",
      required = true,
      paramLabel = "TEXT",
      description = "Evidence for the verdict, recorded in the history of the run.")
  private String reason = "";

  @Option(
      names = "--step",
      paramLabel = "NAME",
      description = "Name of the step; it must be the current one. Default: the current step")
  private Optional<String> step = Optional.empty();

  @Option(
      names = "--part",
      paramLabel = "NAME",
      description = "Name of the part of the step. Default: the step itself")
  private String part = "";

  @Option(
      names = "--state-patch",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "With --complete: merge patch of the run's state. Default: none")
  private @Nullable Payload statePatch;

  @Option(
      names = "--expected-version",
      paramLabel = "VERSION",
      description = "Fail unless the run has this version. Default: any version")
  private long expectedVersion;

  @Option(
      names = "--request-id",
      paramLabel = "ID",
      description =
          "Idempotency key of the settlement, to repeat it after a lost answer. Default: a new one")
  private Optional<String> requestId = Optional.empty();

  SettleRunCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    if (verdict.isSkip() && !part.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "--skip is for steps; settle a part by another verdict");
    }
    if (statePatch != null && !verdict.isCompletion()) {
      throw new ParameterException(spec.commandLine(), "--state-patch needs --complete");
    }
    if (reason.isBlank()) {
      throw new ParameterException(spec.commandLine(), "--reason must not be empty");
    }
    var key = requestId.orElseGet(() -> UUID.randomUUID().toString());
    var settled = server.callOnce("--request-id " + key, hapax -> settle(hapax, key));
    var out = spec.commandLine().getOut();
    if (settled.getAlready() && !server.json()) {
      out.println("already settled; current state:");
    }
    server.print(settled.getRun(), RunText::details, out);
    return ExitCode.OK;
  }

  private SettleStepResponse settle(Hapax hapax, String key) {
    var request =
        SettleStepRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setRunId(id)
            .setStepName(step.orElseGet(() -> hapax.runs().get(id).currentStep()))
            .setPart(part)
            .setReason(reason)
            .setExpectedVersion(expectedVersion)
            .setActor(ConnectionOptions.actor())
            .setRequestId(key);
    verdict.set(request, statePatch);
    return hapax.call(request.build(), SettleStepResponse.getDefaultInstance());
  }
}
