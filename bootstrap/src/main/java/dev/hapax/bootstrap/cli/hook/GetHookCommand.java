package dev.hapax.bootstrap.cli.hook;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax hook get}. */
@Command(
    name = "get",
    aliases = "show",
    description = "Show the run that owns a token, or owned it last.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no run owns the token"})
final class GetHookCommand implements Callable<Integer> {
  @Mixin private final TokenArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  GetHookCommand(Map<String, String> environment) {
    one = new TokenArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    var hook = one.server().call(hapax -> hapax.hooks().get(one.token()));
    one.show(hook, spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
