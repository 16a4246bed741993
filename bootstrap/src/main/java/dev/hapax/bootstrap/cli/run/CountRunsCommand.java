package dev.hapax.bootstrap.cli.run;

import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.Table;
import dev.hapax.bootstrap.cli.call.Table.Column;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.MonitoringServiceGrpc;
import dev.hapax.v1.RunCount;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax run count}. */
@Command(
    name = "count",
    description = {
      "Count runs by status and definition.",
      "Counts the newest 10,000 runs of each status, and COMPLETED runs among the newest 10,000"
          + " of all; a + means that there may be more."
    })
final class CountRunsCommand implements Callable<Integer> {
  private static final String PREFIX = "RUN_STATUS_";

  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      converter = RunStatusOption.Converter.class,
      description = "Only runs in this status: ${COMPLETION-CANDIDATES}; repeatable.")
  private List<RunStatusOption> statuses = List.of();

  @Option(
      names = "--definition",
      paramLabel = "NAME",
      description = "Only runs of this definition, in any version; repeatable.")
  private List<String> definitions = List.of();

  CountRunsCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var request =
        CountRunsRequest.newBuilder()
            .setWorkspace(server.workspace())
            .addAllDefinitions(definitions);
    statuses.forEach(wanted -> request.addStatuses(wanted.wire()));
    var counts =
        server.call(
            hapax ->
                hapax
                    .call(MonitoringServiceGrpc.getCountRunsMethod(), request.build())
                    .getCountsList());
    var out = spec.commandLine().getOut();
    if (server.json()) {
      for (var count : counts) {
        out.println(ValueFormat.json(count));
      }
    } else {
      table(counts).forEach(out::println);
      if (counts.isEmpty()) {
        spec.commandLine().getErr().println("hapax: no runs");
      }
    }
    return ExitCode.OK;
  }

  private static List<String> table(List<RunCount> counts) {
    var table =
        Table.ofWidths(
            new Column("STATUS", 9), new Column("DEFINITION", 24), new Column("RUNS", 6));
    for (var count : counts) {
      table.add(
          count.getStatus().name().replace(PREFIX, ""),
          ValueFormat.line(count.getDefinition()),
          count.getRuns() + (count.getTruncated() ? "+" : ""));
    }
    return table.lines();
  }
}
