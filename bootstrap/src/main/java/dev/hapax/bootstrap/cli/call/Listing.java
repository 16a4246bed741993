package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Message;
import dev.hapax.client.HapaxClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of a list command; fetches and prints the list. */
public final class Listing {
  private static final int MAX_PAGE_SIZE = 500;

  @Mixin private final ConnectionOptions server;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Maximum number of results. Default: ${DEFAULT-VALUE}")
  private int limit;

  public Listing(Map<String, String> environment) {
    server = new ConnectionOptions(environment);
  }

  public ConnectionOptions server() {
    return server;
  }

  /**
   * A page of a list.
   *
   * @param next token of the next page; empty on the last page
   */
  public record Page<M extends Message>(List<M> items, String next) {
    public Page {
      items = List.copyOf(items);
    }
  }

  /** Fetches a page of a list. */
  public interface Pages<M extends Message> {
    Page<M> page(HapaxClient hapax, int size, String token);
  }

  /**
   * Prints a list as a table, or as JSON with one object per line.
   *
   * @param none message on standard error for an empty list
   */
  public <M extends Message> void print(
      Pages<M> pages, String none, Function<List<M>, List<String>> table) throws Exception {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be at least 1");
    }
    var found = server.call(hapax -> find(hapax, pages));
    var out = spec.commandLine().getOut();
    if (server.json()) {
      for (var item : found.items()) {
        out.println(ValueFormat.json(item));
      }
    } else {
      table.apply(found.items()).forEach(out::println);
      if (found.items().isEmpty()) {
        spec.commandLine().getErr().println("hapax: " + none);
      }
    }
    if (!found.next().isEmpty()) {
      spec.commandLine().getErr().println("hapax: there are more results; increase --limit");
    }
  }

  private <M extends Message> Page<M> find(HapaxClient hapax, Pages<M> pages) {
    var found = new ArrayList<M>();
    var next = "";
    do {
      var page = pages.page(hapax, Math.min(MAX_PAGE_SIZE, limit - found.size()), next);
      found.addAll(page.items());
      next = page.next();
    } while (!next.isEmpty() && found.size() < limit);
    return new Page<>(found, next);
  }
}
