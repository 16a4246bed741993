package dev.hapax.bootstrap.cli.janitor;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.SweepResponse;
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
      "Run the sweep of a hosted janitor now, until no stale entity is left, and print how many"
          + " entities it freed. Entities with a running lease are not affected.",
    },
    exitCodeList = {
      "0:success",
      "1:failure, or the janitor is remote",
      "2:invalid usage",
      "3:no such janitor"
    })
final class SweepJanitorCommand implements Callable<Integer> {
  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "MODULE", description = "Module of the janitor, such as billing.")
  private String module = "";

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Reason, recorded in the history of each freed entity.")
  private String reason = "";

  SweepJanitorCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var swept = server.call(this::sweep);
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(ValueFormat.json(swept));
    } else {
      out.println(
          "freed "
              + swept.getFreed()
              + (swept.getComplete() ? "" : "; more entities are stale, sweep again"));
    }
    return ExitCode.OK;
  }

  /** Sweeps until nothing is freed, since one sweep is limited. */
  private SweepResponse sweep(HapaxClient hapax) {
    var request =
        SweepRequest.newBuilder()
            .setWorkspace(server.workspace())
            .setModule(module)
            .setActor(ConnectionOptions.actor())
            .setReason(reason)
            .build();
    var freed = 0;
    SweepResponse last;
    do {
      last = hapax.call(JanitorServiceGrpc.getSweepMethod(), request);
      freed += last.getFreed();
    } while (!last.getComplete() && last.getFreed() > 0);
    return last.toBuilder().setFreed(freed).build();
  }
}
