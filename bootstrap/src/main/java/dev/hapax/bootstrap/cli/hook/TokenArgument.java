package dev.hapax.bootstrap.cli.hook;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Hook;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The argument for a token, and the options of the server. */
final class TokenArgument {
  @Mixin private final ConnectionOptions server;

  @Parameters(paramLabel = "TOKEN", description = "Token of the run, such as order/4711.")
  private String token = "";

  TokenArgument(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  ConnectionOptions server() {
    return server;
  }

  String token() {
    return token;
  }

  void show(Hook hook, PrintWriter out) throws IOException {
    if (server.json()) {
      out.println(ValueFormat.json(hook));
    } else {
      new HookText(Instant.now()).details(hook).forEach(out::println);
    }
  }
}
