package dev.hapax.bootstrap.definition;

import dev.hapax.bootstrap.remote.ServerOptions;
import dev.hapax.bootstrap.remote.Shown;
import dev.hapax.v1.Definition;
import dev.hapax.v1.ListDefinitionsRequest;
import io.grpc.Channel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax definition list}. */
@Command(
    name = "list",
    description = "Lists versions of definitions, the one registered last first.")
final class ListCommand implements Callable<Integer> {
  private static final int LARGEST_PAGE = 500;

  /** What was found, and whether that is all. */
  private record Found(List<Definition> definitions, boolean complete) {}

  @Mixin private final ServerOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--name", paramLabel = "NAME", description = "Only the versions of this one.")
  private String name = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many. Default: ${DEFAULT-VALUE}")
  private int limit;

  ListCommand(Map<String, String> environment) {
    server = new ServerOptions(environment);
  }

  @Override
  public Integer call() throws Exception {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be 1 or more");
    }
    var found = server.call(this::find);
    var out = spec.commandLine().getOut();
    if (server.json()) {
      for (var definition : found.definitions()) {
        out.println(Shown.json(definition));
      }
    } else if (found.definitions().isEmpty()) {
      out.println("no definitions");
    } else {
      new DefinitionText(Instant.now()).table(found.definitions()).forEach(out::println);
    }
    if (!found.complete()) {
      spec.commandLine().getErr().println("hapax: there are more; --limit shows them");
    }
    return ExitCode.OK;
  }

  private Found find(Channel channel) {
    var request =
        ListDefinitionsRequest.newBuilder().setWorkspace(server.workspace()).setName(name);
    var found = new ArrayList<Definition>();
    do {
      request.setPageSize(Math.min(LARGEST_PAGE, limit - found.size()));
      var page = DefinitionCommand.definitions(channel).listDefinitions(request.build());
      found.addAll(page.getDefinitionsList());
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty() && found.size() < limit);
    return new Found(found, request.getPageToken().isEmpty());
  }
}
