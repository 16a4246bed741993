package dev.hapax.bootstrap.run;

import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.PauseRunRequest;
import dev.hapax.v1.ResumeRunRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax run cancel}, {@code pause} and {@code resume}. */
@Command(exitCodeList = {"0:fine", "1:failed", "2:wrong usage", "3:there is no such run"})
final class SteerCommand implements Callable<Integer> {
  @Mixin private final OneRun one;
  @Mixin private final SteerOptions options = new SteerOptions();
  @Spec private CommandSpec spec = CommandSpec.create();

  private final Verb verb;

  /** What to do with it. */
  enum Verb {
    CANCEL("Ends a run as CANCELLED, and shows it. Its worker is told to stop."),
    PAUSE("Holds a run: nothing more of it is handed out. What is under way may end."),
    RESUME("Lets a paused run go on.");

    private final String description;

    Verb(String description) {
      this.description = description;
    }
  }

  SteerCommand(Map<String, String> environment, Verb verb) {
    one = new OneRun(environment);
    this.verb = verb;
  }

  CommandLine commandLine() {
    var commandLine = new CommandLine(this);
    commandLine
        .setCommandName(verb.name().toLowerCase(Locale.ROOT))
        .getCommandSpec()
        .usageMessage()
        .description(verb.description);
    return commandLine;
  }

  @Override
  public Integer call() throws Exception {
    var run = one.server().call(channel -> steer(RunCommand.runs(channel)));
    one.show(run, spec.commandLine().getOut());
    return ExitCode.OK;
  }

  private Run steer(RunServiceBlockingStub runs) {
    var workspace = one.server().workspace();
    return switch (verb) {
      case CANCEL ->
          runs.cancelRun(
                  CancelRunRequest.newBuilder()
                      .setWorkspace(workspace)
                      .setRunId(one.id())
                      .setReason(options.reason())
                      .setExpectedVersion(options.expectedVersion())
                      .setActor(ServerOptions.actor())
                      .build())
              .getRun();
      case PAUSE ->
          runs.pauseRun(
                  PauseRunRequest.newBuilder()
                      .setWorkspace(workspace)
                      .setRunId(one.id())
                      .setReason(options.reason())
                      .setExpectedVersion(options.expectedVersion())
                      .setActor(ServerOptions.actor())
                      .build())
              .getRun();
      case RESUME ->
          runs.resumeRun(
                  ResumeRunRequest.newBuilder()
                      .setWorkspace(workspace)
                      .setRunId(one.id())
                      .setReason(options.reason())
                      .setExpectedVersion(options.expectedVersion())
                      .setActor(ServerOptions.actor())
                      .build())
              .getRun();
    };
  }
}
