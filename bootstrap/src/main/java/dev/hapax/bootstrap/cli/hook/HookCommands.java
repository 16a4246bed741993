package dev.hapax.bootstrap.cli.hook;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.HookServiceGrpc.HookServiceBlockingStub;
import io.grpc.Channel;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax hook}. */
@Command(
    name = "hook",
    description = "Says which run owns a token, sends to it, and frees the token.")
public final class HookCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var hook = new CommandLine(new HookCommands());
    root.addSubcommand(hook);
    hook.addSubcommand(new GetHookCommand(environment))
        .addSubcommand(new SignalHookCommand(environment))
        .addSubcommand(new DisposeHookCommand(environment));
  }

  static HookServiceBlockingStub hooks(Channel channel) {
    return ServerOptions.soon(HookServiceGrpc.newBlockingStub(channel));
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "what to do is missing: get, signal or dispose");
  }
}
