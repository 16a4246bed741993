package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.Run;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The argument for a run, and the options of the server. */
final class RunArgument {
  @Mixin private final ConnectionOptions server;

  @Parameters(paramLabel = "ID", description = "ID of the run, such as run_01k….")
  private String id = "";

  RunArgument(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  ConnectionOptions server() {
    return server;
  }

  String id() {
    return id;
  }

  /** Prints the run. */
  void show(Run run, PrintWriter out) throws IOException {
    show(server, run, out);
  }

  static void show(ConnectionOptions server, Run run, PrintWriter out) throws IOException {
    if (server.json()) {
      out.println(ValueFormat.json(run));
    } else {
      new RunText(Instant.now()).details(run).forEach(out::println);
    }
  }
}
