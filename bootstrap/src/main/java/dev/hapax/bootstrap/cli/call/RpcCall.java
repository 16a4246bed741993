package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Message;
import dev.hapax.client.Hapax;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One use of an {@link RpcCommand}: makes its calls and prints what they return. */
@Command
public final class RpcCall<Q extends Message, R extends Message> implements Callable<Integer> {
  private static final int MAX_PAGE_SIZE = 500;

  @Mixin private final ConnectionOptions server;
  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrototypeMarshaller<Q> requests;
  private final List<RequestFilling> fillings;
  private final BiFunction<Hapax, Q, R> exchange;
  private final Function<Q, String> repeatedBy;
  private final RpcOutput.Printer<Q, R> printer;

  private interface Receiver<M> {
    void receive(M item) throws IOException;
  }

  /**
   * Prepares a call.
   *
   * @param repeatedBy returns the option that makes it safe to repeat the command; empty = it is
   */
  RpcCall(
      Map<String, String> environment,
      MethodDescriptor<Q, R> method,
      List<RequestFilling> fillings,
      BiFunction<Hapax, Q, R> exchange,
      Function<Q, String> repeatedBy,
      RpcOutput.Printer<Q, R> printer) {
    server = new ConnectionOptions(environment);
    requests = (PrototypeMarshaller<Q>) method.getRequestMarshaller();
    this.fillings = fillings;
    this.exchange = exchange;
    this.repeatedBy = repeatedBy;
    this.printer = printer;
  }

  Q prototype() {
    return Objects.requireNonNull(requests.getMessagePrototype());
  }

  @Override
  public Integer call() throws Exception {
    return printer.print(this);
  }

  public Q request() throws IOException {
    return request(0, "");
  }

  private Q request(int pageSize, String pageToken) throws IOException {
    var request = prototype().newBuilderForType();
    for (var filling : fillings) {
      filling.fill(request);
    }
    fill(request, "workspace", server.workspace());
    fill(request, "actor", ConnectionOptions.actor());
    fill(request, "page_size", pageSize);
    fill(request, "page_token", pageToken);
    return requests.getMessageClass().cast(request.build());
  }

  /** Sets a field if the request has it. */
  private static void fill(Message.Builder request, String name, Object value) {
    Optional.ofNullable(request.getDescriptorForType().findFieldByName(name))
        .ifPresent(field -> request.setField(field, value));
  }

  /** Makes the call. */
  public R response() throws Exception {
    var request = request();
    var option = repeatedBy.apply(request);
    return option.isEmpty()
        ? server.call(hapax -> exchange.apply(hapax, request))
        : server.callOnce(option, hapax -> exchange.apply(hapax, request));
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Prints a line before text; nothing if it is empty. */
  public void note(String line) {
    if (!server.json() && !line.isEmpty()) {
      out().println(line);
    }
  }

  /** Prints a message as JSON in one line, or as text. */
  public <M extends Message> void print(M message, LineFormat<M> format) throws IOException {
    server.print(message, format, out());
  }

  <M extends Message> int list(
      Function<R, List<M>> items, Columns<M> columns, String none, int limit) throws Exception {
    if (limit < 1) {
      throw new ParameterException(spec.commandLine(), "--limit must be at least 1");
    }
    var found = new ArrayList<M>();
    var next = server.call(hapax -> pages(hapax, items, found::add, limit));
    if (server.json()) {
      for (var item : found) {
        out().println(ValueFormat.json(item));
      }
    } else {
      columns.lines(found, Instant.now()).forEach(out()::println);
      if (found.isEmpty()) {
        spec.commandLine().getErr().println("hapax: " + none);
      }
    }
    if (!next.isEmpty()) {
      spec.commandLine().getErr().println("hapax: there are more results; increase --limit");
    }
    return ExitCode.OK;
  }

  <M extends Message> int stream(Function<R, List<M>> events, Function<M, String> line)
      throws Exception {
    Receiver<M> printer =
        event -> out().println(server.json() ? ValueFormat.json(event) : line.apply(event));
    var _ = server.call(hapax -> pages(hapax, events, printer, Integer.MAX_VALUE));
    return ExitCode.OK;
  }

  /** Receives items page by page; returns the token of the next page. */
  private <M extends Message> String pages(
      Hapax hapax, Function<R, List<M>> items, Receiver<M> receiver, int limit) throws IOException {
    int received = 0;
    var next = "";
    do {
      int size = Math.min(MAX_PAGE_SIZE, limit - received);
      var page = exchange.apply(hapax, request(size, next));
      for (var item : items.apply(page)) {
        receiver.receive(item);
        received++;
      }
      next = nextPage(page);
    } while (!next.isEmpty() && received < limit);
    return next;
  }

  private static String nextPage(Message page) {
    return Optional.ofNullable(page.getDescriptorForType().findFieldByName("next_page_token"))
        .map(field -> page.getField(field).toString())
        .orElse("");
  }
}
