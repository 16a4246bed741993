package dev.hapax.bootstrap.cli.hook;

import dev.hapax.bootstrap.cli.call.CommandGroup;
import dev.hapax.bootstrap.cli.call.RpcCommand;
import dev.hapax.bootstrap.cli.call.SignalMessage;
import dev.hapax.bootstrap.cli.call.Subcommand;
import dev.hapax.v1.DisposeHookResponse;
import dev.hapax.v1.HookServiceGrpc;
import java.util.Map;
import picocli.CommandLine;

/** {@code hapax hook}. */
public final class HookCommands {
  private HookCommands() {}

  /** Adds the commands. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    CommandGroup.of("hook", "Show, signal and release the run that owns a token.")
        .addTo(root, environment, get(), signal(), dispose());
  }

  private static RpcCommand token(RpcCommand command) {
    return command.argument("token", "TOKEN", "Token of the run, such as order/4711.");
  }

  private static Subcommand get() {
    return RpcCommand.of(
            "get", "Show the run that owns a token, or owned it last, and those that wait for it.")
        .with(HookCommands::token)
        .absent("no run owns the token or waits for it")
        .calls(HookServiceGrpc.getGetHookMethod())
        .shows(response -> response, HookText::details);
  }

  private static Subcommand signal() {
    return RpcCommand.of("signal", "Send a signal to the run that owns a token.")
        .with(HookCommands::token)
        .with(SignalMessage::addTo)
        .absent("no run owns the token, or its owner has ended")
        .calls(HookServiceGrpc.getSignalHookMethod())
        .says(sent -> SignalMessage.text(sent.getDisposition(), sent.getRunId()));
  }

  private static Subcommand dispose() {
    return RpcCommand.of(
            "dispose",
            "Release a token immediately, regardless of its retention. Its run continues without"
                + " it.")
        .with(HookCommands::token)
        .option("--run", "run_id", "ID", "Fail unless this run owns the token. Default: any owner")
        .option("--reason", "TEXT", "Reason, recorded in the history of the run.")
        .absent("no run owns the token", "failure, or another run than --run owns it")
        .calls(HookServiceGrpc.getDisposeHookMethod())
        .repeatedBy(
            request ->
                request.getRunId().isEmpty()
                    ? "--run ID, so that no later owner loses the token"
                    : "--run " + request.getRunId())
        .shows(
            DisposeHookResponse::getHook,
            response -> response.getAlready() ? "already disposed; current state:" : "",
            HookText::details);
  }
}
