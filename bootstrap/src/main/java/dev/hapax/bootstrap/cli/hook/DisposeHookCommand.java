package dev.hapax.bootstrap.cli.hook;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.HookServiceGrpc;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax hook dispose}. */
@Command(
    name = "dispose",
    description =
        "Release a token immediately, regardless of its retention. Its run continues without it.",
    exitCodeList = {
      "0:success",
      "1:failure, or another run than --run owns it",
      "2:invalid usage",
      "3:no run owns the token"
    })
final class DisposeHookCommand implements Callable<Integer> {
  @Mixin private final TokenArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--run",
      paramLabel = "ID",
      description = "Fail unless this run owns the token. Default: any owner")
  private String run = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded in the history of the run.")
  private String reason = "";

  DisposeHookCommand(Map<String, String> environment) {
    one = new TokenArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setToken(one.token())
            .setRunId(run)
            .setActor(ConnectionOptions.actor())
            .setReason(reason)
            .build();
    var response =
        one.server()
            .callOnce(
                run.isEmpty() ? "--run ID, so that no later owner loses the token" : "--run " + run,
                hapax -> hapax.call(HookServiceGrpc.getDisposeHookMethod(), request));
    var out = spec.commandLine().getOut();
    if (response.getAlready() && !one.server().json()) {
      out.println("already disposed; current state:");
    }
    one.show(response.getHook(), out);
    return ExitCode.OK;
  }
}
