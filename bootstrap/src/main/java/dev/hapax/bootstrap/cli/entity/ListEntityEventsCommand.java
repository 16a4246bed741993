package dev.hapax.bootstrap.cli.entity;

import dev.hapax.bootstrap.cli.call.ValueFormat;
import dev.hapax.client.HapaxClient;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.ListEntityEventsRequest;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code hapax entity events}. */
@Command(
    name = "events",
    description = "Print the history of an entity, oldest event first.",
    exitCodeList = {"0:success", "1:failure", "2:invalid usage", "3:no such entity"})
final class ListEntityEventsCommand implements Callable<Integer> {
  private static final int PAGE = 500;

  @Mixin private final EntityArgument one;
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--after",
      paramLabel = "VERSION",
      description = "Only events after this version. Default: all events")
  private long after;

  ListEntityEventsCommand(Map<String, String> environment) {
    one = new EntityArgument(environment);
  }

  @Override
  public Integer call() throws Exception {
    return one.server().call(this::print);
  }

  /** Prints page by page, since the number of events has no limit. */
  private int print(HapaxClient hapax) throws IOException {
    var out = spec.commandLine().getOut();
    var request =
        ListEntityEventsRequest.newBuilder()
            .setWorkspace(one.server().workspace())
            .setLifecycle(one.lifecycle())
            .setEntityId(one.id())
            .setAfterVersion(after)
            .setPageSize(PAGE);
    do {
      var page = hapax.call(EntityServiceGrpc.getListEntityEventsMethod(), request.build());
      for (var event : page.getEventsList()) {
        out.println(one.server().json() ? ValueFormat.json(event) : EntityEventText.line(event));
      }
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    return ExitCode.OK;
  }
}
