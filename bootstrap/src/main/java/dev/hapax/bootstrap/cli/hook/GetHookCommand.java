package dev.hapax.bootstrap.cli.hook;

import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.HookServiceGrpc;
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
    var request =
        GetHookRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setToken(one.token())
            .build();
    var response =
        one.server().call(hapax -> hapax.call(HookServiceGrpc.getGetHookMethod(), request));
    one.show(response.getHook(), spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
