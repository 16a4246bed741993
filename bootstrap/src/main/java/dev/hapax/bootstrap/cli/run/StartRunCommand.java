package dev.hapax.bootstrap.cli.run;

import com.google.protobuf.util.Durations;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.EnumOption;
import dev.hapax.bootstrap.cli.call.PayloadText;
import dev.hapax.bootstrap.cli.call.TimeOption;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.cli.call.VersionOption;
import dev.hapax.client.Hapax;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.OnKeyMismatch;
import dev.hapax.v1.Payload;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax run start}. */
@Command(
    name = "start",
    description = {
      "Start a run of a definition and print it.",
      "With a key that was used before, prints the run it started. With a token that has an"
          + " owner, applies --on-conflict."
    },
    exitCodeList = {
      "0:success; with --await: COMPLETED",
      "1:failure, or the token has an owner",
      "2:invalid usage",
      "3:no such definition",
      "4:with --await: FAILED",
      "5:with --await: CANCELLED"
    })
final class StartRunCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Mixin private final VersionOption wanted = new VersionOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "DEFINITION", description = "Name of the definition.")
  private String definition = "";

  @Option(
      names = "--input",
      paramLabel = PayloadText.LABEL,
      converter = PayloadText.class,
      description = "Input of the run. Default: {}")
  private Optional<Payload> input = Optional.empty();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "Idempotency key: a repeated key starts no second run. Default: a new one")
  private Optional<String> key = Optional.empty();

  @Option(
      names = "--on-key-mismatch",
      paramLabel = "POLICY",
      converter = KeyPolicy.class,
      description =
          "Policy if another request has used the key: error, return-existing, or restart-failed,"
              + " which starts the run anew if it is FAILED or CANCELLED. Default: error")
  private OnKeyMismatch onKeyMismatch = OnKeyMismatch.ON_KEY_MISMATCH_ERROR;

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "Label of the run; repeatable.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--start-at",
      paramLabel = "TIME",
      converter = TimeOption.Converter.class,
      description = "Delay the start until a time (2030-01-31T10:00:00Z) or for a duration (10m).")
  private Optional<TimeOption> startAt = Optional.empty();

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description =
          "Fail the run if it has not ended after this time from its start. Default: that of the"
              + " definition, if it has one")
  private Optional<Duration> timeout = Optional.empty();

  @Option(
      names = "--start-timeout",
      paramLabel = "DURATION",
      converter = TimeOption.Length.class,
      description =
          "Fail the run if its first step has not started within this time. Default: none")
  private Optional<Duration> startTimeout = Optional.empty();

  @ArgGroup(exclusive = false)
  private @Nullable TokenOptions token;

  @ArgGroup(exclusive = false)
  private @Nullable SignalOptions signal;

  @Option(
      names = "--await",
      description = "Wait until the run ends; the exit code is that of its status.")
  private boolean await;

  StartRunCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var used = key.orElseGet(() -> UUID.randomUUID().toString());
    var request = request(used);
    return server.callOnce("--key " + used, hapax -> start(request, hapax));
  }

  private int start(StartRunRequest request, Hapax hapax) throws IOException, InterruptedException {
    var started = hapax.call(request, StartRunResponse.getDefaultInstance());
    if (started.getDisposition() == Disposition.DISPOSITION_REJECTED) {
      return rejected(started);
    }
    if (!await) {
      show(started);
      return ExitCode.OK;
    }
    var id = started.getRun().getId();
    if (!server.json()) {
      spec.commandLine().getOut().println(DispositionText.verb(started) + " " + id);
      spec.commandLine().getOut().flush();
    }
    var ended = RunEndWait.end(hapax, id, Optional.empty());
    show(started.toBuilder().setRun(ended.message()).build());
    return RunExitCode.exitCode(ended.status());
  }

  private StartRunRequest request(String used) {
    var request =
        StartRunRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setDefinition(definition)
            .setDefinitionVersion(wanted.version())
            .setIdempotencyKey(used)
            .setOnKeyMismatch(onKeyMismatch)
            .putAllLabels(labels)
            .setActor(ConnectionOptions.actor());
    if (token != null) {
      token.addTo(request);
    }
    if (signal != null) {
      request.setSignal(signal.wire());
    }
    input.ifPresent(request::setInput);
    startAt.ifPresent(time -> request.setStartAt(TimeOption.wire(time.ahead(Instant.now()))));
    timeout.ifPresent(time -> request.setTimeout(Durations.fromMillis(time.toMillis())));
    startTimeout.ifPresent(time -> request.setStartTimeout(Durations.fromMillis(time.toMillis())));
    return request.build();
  }

  /** Parses a policy as typed or as printed by {@code --json}. */
  private static final class KeyPolicy implements ITypeConverter<OnKeyMismatch> {
    @Override
    public OnKeyMismatch convert(String text) {
      return OnKeyMismatch.valueOf(EnumOption.parse(OnKeyMismatch.getDescriptor(), text));
    }
  }

  /** Prints the answer for scripts, and a sentence for people. */
  private int rejected(StartRunResponse response) throws IOException {
    if (server.json()) {
      spec.commandLine().getOut().println(ValueFormat.json(response));
    }
    spec.commandLine().getErr().println("hapax: " + DispositionText.rejected(response));
    return ExitCode.SOFTWARE;
  }

  private void show(StartRunResponse response) throws IOException {
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(response));
      return;
    }
    if (!await) {
      DispositionText.head(response).ifPresent(out::println);
    }
    RunText.details(response.getRun(), Instant.now()).forEach(out::println);
  }
}
