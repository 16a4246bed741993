package dev.hapax.bootstrap.cli.definition;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.cli.call.VersionOption;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax definition get}. */
@Command(
    name = "get",
    aliases = "show",
    description = "Show a version of a definition.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such definition"})
final class GetDefinitionCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Mixin private final VersionOption wanted = new VersionOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "NAME", description = "Name of the definition.")
  private String name = "";

  GetDefinitionCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var definition = server.call(hapax -> hapax.definitions().get(name, wanted.version()));
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(definition));
    } else {
      var text = new DefinitionText(Instant.now());
      text.details(definition).forEach(out::println);
      out.println();
      text.steps(definition.getStepsList()).forEach(out::println);
    }
    return ExitCode.OK;
  }
}
