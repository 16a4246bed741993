package dev.hapax.bootstrap.cli.lifecycle;

import com.google.protobuf.Struct;
import com.google.protobuf.util.Values;
import dev.hapax.bootstrap.cli.call.ConnectionOptions;
import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.bootstrap.startup.lifecycle.InvalidLifecyclesException;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFile;
import dev.hapax.bootstrap.startup.lifecycle.LifecycleFiles;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleGraph;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hapax lifecycle graph}. */
@Command(
    name = "graph",
    description = {
      "Print the statuses and steps of a lifecycle as a Mermaid or Graphviz graph; claim states"
          + " are dashed or labelled as claimed.",
      "A file needs no server."
    },
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such lifecycle"})
final class GraphLifecycleCommand implements Callable<Integer> {
  private static final String ENDING = ".json";

  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "FILE|NAME",
      description =
          "A file (existing, or ending in .json), or the name of a lifecycle of the server.")
  private String source = "";

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "MERMAID",
      description = "${COMPLETION-CANDIDATES} (Graphviz). Default: ${DEFAULT-VALUE}")
  private Format format = Format.MERMAID;

  /** The format of the graph. */
  enum Format {
    MERMAID,
    DOT
  }

  GraphLifecycleCommand(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    var graph = new LifecycleGraph(lifecycle());
    var text =
        switch (format) {
          case MERMAID -> graph.mermaid();
          case DOT -> graph.dot();
        };
    var out = spec.commandLine().getOut();
    if (server.json()) {
      out.println(
          ValueFormat.json(Struct.newBuilder().putFields("graph", Values.of(text)).build()));
    } else {
      out.print(text);
      out.flush();
    }
    return ExitCode.OK;
  }

  private Lifecycle lifecycle() throws Exception {
    var path = Path.of(source);
    return source.endsWith(ENDING) || Files.isRegularFile(path)
        ? lifecycle(path)
        : LifecycleText.parse(server.call(hapax -> hapax.lifecycles().get(source)));
  }

  private static Lifecycle lifecycle(Path path) throws InvalidLifecyclesException {
    return switch (LifecycleFile.read(path)) {
      case LifecycleFile.OfLifecycle file -> file.lifecycle();
      case LifecycleFile.OfJanitor file ->
          throw new InvalidLifecyclesException(
              "cannot draw the lifecycle", List.of(file.path() + " has " + file.title()));
      case LifecycleFile.Invalid file ->
          throw new InvalidLifecyclesException(
              "cannot draw the lifecycle", new LifecycleFiles(List.of(file)).problems());
    };
  }
}
