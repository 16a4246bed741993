package dev.hapax.bootstrap.cli.lifecycle;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax lifecycle get}. */
@Command(
    name = "get",
    aliases = "show",
    description = {
      "Show a lifecycle with its steps for each requester.",
      "--json includes the JSON document to apply it again."
    },
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such lifecycle"})
final class GetLifecycleCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "NAME", description = "Name of the lifecycle, such as billing.")
  private String name = "";

  GetLifecycleCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var found = ServerLifecycle.get(server, name);
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(found.message()));
    } else {
      var text = new LifecycleText(Instant.now());
      text.details(found.message()).forEach(out::println);
      out.println();
      text.steps(found.lifecycle()).forEach(out::println);
    }
    return ExitCode.OK;
  }
}
