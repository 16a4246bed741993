package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.bootstrap.server.ServiceNotification;
import dev.hapax.bootstrap.server.Termination;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code hapax serve}. */
@Command(
    name = "serve",
    description = {
      "Run the server until SIGTERM or Ctrl-C.",
      "Prints `hapax ready on HOST:PORT` to standard output when it accepts calls, and then the"
          + " address of the console."
    },
    exitCodeList = {
      "0:stopped by SIGTERM or Ctrl-C",
      "1:failure",
      "2:invalid usage or configuration",
      "7:the database cannot be reached",
      "8:the database rejects the server",
      "9:another process listens on an address"
    })
final class ServeCommand implements Callable<Integer>, ServerSettingOptions.User {
  private final Map<String, String> environment;
  @Spec private CommandSpec spec = CommandSpec.create();

  ServeCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Integer call() throws Exception {
    var config = ServerSettingOptions.read(spec.commandLine().getParseResult(), environment);
    switch (config.logFormat()) {
      case JSON -> Logging.useJson();
      case TEXT -> {}
    }
    Logging.ofServer();
    var termination = Termination.listen(config.stopTimeout());
    int code = ExitCode.SOFTWARE;
    try {
      serve(config, termination);
      code = ExitCode.OK;
    } finally {
      termination.finish(code);
    }
    return code;
  }

  private void serve(ServerConfig config, Termination termination) throws Exception {
    var systemd = ServiceNotification.of(environment);
    try (var server = Server.start(config, termination::isRequested)) {
      if (!termination.isRequested()) {
        var out = spec.commandLine().getOut();
        out.println("hapax ready on " + server.address());
        server.console().ifPresent(console -> out.println("console on " + console));
        systemd.ready();
      }
      termination.await();
      systemd.stopping();
    } catch (CancellationException e) {
      // a stop during the start is a clean exit
      if (!termination.isRequested()) {
        throw e;
      }
    }
  }
}
