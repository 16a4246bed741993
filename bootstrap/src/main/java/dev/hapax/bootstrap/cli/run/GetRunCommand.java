package dev.hapax.bootstrap.cli.run;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax run get}. */
@Command(
    name = "get",
    aliases = "show",
    description = "Show a run.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such run"})
final class GetRunCommand implements Callable<Integer> {
  @Mixin private final RunArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  GetRunCommand(Map<String, String> environment) {
    one = new RunArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var run = one.server().call(hapax -> hapax.runs().get(one.id()));
    one.show(run, spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
