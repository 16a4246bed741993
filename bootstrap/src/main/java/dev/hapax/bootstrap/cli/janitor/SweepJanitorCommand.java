package dev.hapax.bootstrap.cli.janitor;

import dev.hapax.bootstrap.cli.call.ServerOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
import io.grpc.Channel;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax janitor sweep}. */
@Command(
    name = "sweep",
    description = {
      "Lets a hosted janitor look now, until it has seen all there is, and says how many entities"
          + " it took back. One whose lease still runs is left alone.",
    },
    exitCodeList = {
      "0:fine",
      "1:failed, or the janitor is a remote one",
      "2:wrong usage",
      "3:there is no such janitor"
    })
final class SweepJanitorCommand implements Callable<Integer> {
  @Mixin private final ServerOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "MODULE", description = "Whose janitor, such as billing.")
  private String module = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why, for the histories of the entities it takes back.")
  private String reason = "";

  SweepJanitorCommand(Map<String, String> environment) {
    server = new ServerOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var swept = server.call(this::sweep);
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(swept));
    } else {
      out.println(
          "freed " + swept.getFreed() + (swept.getComplete() ? "" : "; there are more, later"));
    }
    return ExitCode.OK;
  }

  /** One sweep is bounded: goes on as long as that frees something. */
  private SweepResponse sweep(Channel channel) {
    var request =
        SweepRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setModule(module)
            .setActor(ServerOptions.actor())
            .setReason(reason)
            .build();
    var freed = 0;
    SweepResponse last;
    do {
      last = JanitorCommands.janitors(channel).sweep(request);
      freed += last.getFreed();
    } while (!last.getComplete() && last.getFreed() > 0);
    return last.toBuilder().setFreed(freed).build();
  }
}
