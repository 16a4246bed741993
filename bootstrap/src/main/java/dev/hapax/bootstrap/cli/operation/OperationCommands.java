package dev.hapax.bootstrap.cli.operation;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceBlockingStub;
import io.grpc.Channel;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax operation}. */
@Command(
    name = "operation",
    description = "Looks at operations (idempotency keys) of a server, and settles them by hand.")
public final class OperationCommands implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Makes it a command of the root, which has to be there first so that all inherit from it. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    var operation = new CommandLine(new OperationCommands());
    root.addSubcommand(operation);
    operation
        .addSubcommand(new ListOperationsCommand(environment))
        .addSubcommand(new GetOperationCommand(environment))
        .addSubcommand(new ResolveOperationCommand(environment));
  }

  static OperationServiceBlockingStub operations(Channel channel) {
    return ServerOptions.soon(OperationServiceGrpc.newBlockingStub(channel));
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "what to do is missing: list, get or resolve");
  }
}
