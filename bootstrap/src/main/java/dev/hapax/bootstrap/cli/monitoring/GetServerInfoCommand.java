package dev.hapax.bootstrap.cli.monitoring;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax server info}. */
@Command(
    name = "info",
    description = "Show the version, schema, clock, features and limits of a server.")
final class GetServerInfoCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  GetServerInfoCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var info = server.call(hapax -> hapax.monitoring().serverInfo());
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(info));
    } else {
      ServerInfoText.lines(info, Instant.now()).forEach(out::println);
    }
    return ExitCode.OK;
  }
}
