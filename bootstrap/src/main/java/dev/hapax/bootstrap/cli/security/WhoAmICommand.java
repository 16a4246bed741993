package dev.hapax.bootstrap.cli.security;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.WhoAmIRequest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax whoami}. */
@Command(
    name = "whoami",
    description = "Show which caller the server takes you for, and what you may do.")
public final class WhoAmICommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  private WhoAmICommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  /** Adds the command to the root. */
  public static void addTo(CommandLine root, Map<String, String> environment) {
    root.addSubcommand(new WhoAmICommand(environment));
  }

  @Override
  public Integer call() throws Exception {
    var principal =
        server.call(
            hapax ->
                hapax
                    .call(IdentityServiceGrpc.getWhoAmIMethod(), WhoAmIRequest.getDefaultInstance())
                    .getPrincipal());
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(principal));
    } else {
      PrincipalText.lines(principal, Instant.now()).forEach(out::println);
    }
    return ExitCode.OK;
  }
}
