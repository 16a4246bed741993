package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Message;
import java.io.IOException;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The option of a command that prints events; prints them page by page, since there may be many.
 */
public final class EventListing {
  private static final int PAGE_SIZE = 500;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--after",
      paramLabel = "VERSION",
      description = "Only events after this version. Default: all events")
  private long after;

  /** Fetches a page of events. */
  public interface Events<E extends Message> {
    Listing.Page<E> page(long afterVersion, int size, String token);
  }

  public <E extends Message> void print(Events<E> events, boolean json, Function<E, String> line)
      throws IOException {
    var out = spec.commandLine().getOut();
    var token = "";
    do {
      var page = events.page(after, PAGE_SIZE, token);
      for (var event : page.items()) {
        out.println(json ? ValueFormat.json(event) : line.apply(event));
      }
      token = page.next();
    } while (!token.isEmpty());
  }
}
