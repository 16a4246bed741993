package dev.hapax.bootstrap.cli;

import dev.hapax.bootstrap.demo.Demo;
import dev.hapax.bootstrap.demo.OrderService;
import dev.hapax.bootstrap.demo.OrderWorker;
import dev.hapax.bootstrap.server.Termination;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax demo}. */
@Command(
    name = "demo",
    description = {
      "Show in half a minute what hapax does.",
      "An order service gets duplicate requests and is frozen past its lease, and still charges"
          + " each order once. Then a worker is killed between the steps of a run, and another"
          + " worker continues it.",
      "Needs no setup and leaves no files behind."
    })
final class DemoCommand implements Callable<Integer> {
  private static final Duration CLEANUP_TIMEOUT = Duration.ofSeconds(60);
  private static final int INTERRUPTED = 130;

  @Option(
      names = "--keep",
      description =
          "Leave the server and its console open at the end, with a run that waits, until Ctrl-C.")
  private boolean keep;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws Exception {
    if (!Logging.isVerbose()) {
      Logging.silence();
    }
    var termination = Termination.listen(CLEANUP_TIMEOUT);
    int code = ExitCode.SOFTWARE;
    try {
      var demo = new Demo(spec.commandLine().getOut(), Ansi.AUTO.enabled(), termination, keep);
      code = demo.play() ? ExitCode.OK : ExitCode.SOFTWARE;
    } catch (CancellationException _) {
      code = INTERRUPTED;
    } finally {
      termination.finish(code);
    }
    return code;
  }

  @Command(
      name = "order-service",
      hidden = true,
      description = "An order service of the demo; exits when its standard input ends.")
  void orderService(
      @Option(names = "--name", required = true) String name,
      @Option(names = "--hapax", required = true) String hapax,
      @Option(names = "--payments", required = true) String payments)
      throws Exception {
    var out = spec.commandLine().getOut();
    out.println("ready on 127.0.0.1:" + OrderService.serve(name, hapax, payments));
    out.flush();
    // exits even if the demo is killed
    var _ = System.in.read();
  }

  @Command(
      name = "worker",
      hidden = true,
      description = "A worker of the demo; exits when its standard input ends.")
  void worker(
      @Option(names = "--name", required = true) String name,
      @Option(names = "--hapax", required = true) String hapax,
      @Option(names = "--payments", required = true) String payments)
      throws Exception {
    var out = spec.commandLine().getOut();
    try (var _ = OrderWorker.start(name, hapax, payments, out)) {
      out.println("ready");
      out.flush();
      var _ = System.in.read();
    }
  }
}
