package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Message;
import dev.hapax.client.Hapax;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.OptionSpec;

/** The description of what a command calls, and of what it prints of the response. */
public final class RpcOutput<Q extends Message, R extends Message> {
  private static final String GET = "get";
  private static final String ALIAS = "show";

  private final String name;
  private final List<RpcCommand.Part> parts;
  private final MethodDescriptor<Q, R> method;
  private BiFunction<Hapax, Q, R> exchange;
  private Function<Q, String> repeatedBy;

  /** Prints an answer, and returns the exit code. */
  public interface Printer<Q extends Message, R extends Message> {
    int print(RpcCall<Q, R> call) throws Exception;
  }

  RpcOutput(
      String name,
      List<RpcCommand.Part> parts,
      MethodDescriptor<Q, R> method,
      Function<Q, String> repeatedBy) {
    this.name = name;
    this.parts = new ArrayList<>(parts);
    this.method = method;
    this.repeatedBy = repeatedBy;
    var responses = (PrototypeMarshaller<R>) method.getResponseMarshaller();
    var type = Objects.requireNonNull(responses.getMessagePrototype());
    exchange = (hapax, request) -> hapax.call(request, type);
  }

  /** Replaces the single call of the method. */
  public RpcOutput<Q, R> by(BiFunction<Hapax, Q, R> calls) {
    exchange = calls;
    return this;
  }

  /** Names the option with which the command can be repeated safely after a lost answer. */
  public RpcOutput<Q, R> repeatedBy(Function<Q, String> option) {
    repeatedBy = option;
    return this;
  }

  /** Shows a message of the response. */
  public <M extends Message> Subcommand shows(Function<R, M> message, LineFormat<M> format) {
    return shows(message, _ -> "", format);
  }

  /**
   * Shows a message of the response.
   *
   * @param note line before it; empty = none
   */
  public <M extends Message> Subcommand shows(
      Function<R, M> message, Function<R, String> note, LineFormat<M> format) {
    return prints(
        call -> {
          var response = call.response();
          call.note(note.apply(response));
          call.print(message.apply(response), format);
          return ExitCode.OK;
        });
  }

  /** Prints the response as one line. */
  public Subcommand says(Function<R, String> line) {
    return shows(response -> response, (response, _) -> List.of(line.apply(response)));
  }

  /** Lists messages of the response, up to {@code --limit}. */
  public <M extends Message> Subcommand lists(
      Function<R, List<M>> items, Columns<M> columns, String none) {
    var limit =
        OptionSpec.builder("--limit")
            .paramLabel("N")
            .type(Integer.class)
            .defaultValue("100")
            .description("Maximum number of results. Default: ${DEFAULT-VALUE}")
            .build();
    parts.addFirst(
        (spec, _) -> {
          spec.addOption(limit);
          return RequestFilling.NOTHING;
        });
    return prints(call -> call.list(items, columns, none, limit.<Integer>getValue()));
  }

  /** Lists all messages of the response. */
  public <M extends Message> Subcommand listsAll(
      Function<R, List<M>> items, Columns<M> columns, String none) {
    return prints(call -> call.list(items, columns, none, Integer.MAX_VALUE));
  }

  /** Prints events as they are read, since there may be many. */
  public <M extends Message> Subcommand streams(
      Function<R, List<M>> events, Function<M, String> line) {
    return prints(call -> call.stream(events, line));
  }

  /** Makes the call and prints what is special about the answer. */
  public Subcommand prints(Printer<Q, R> printer) {
    return environment -> {
      var fillings = new ArrayList<RequestFilling>();
      var call = new RpcCall<>(environment, method, fillings, exchange, repeatedBy, printer);
      var command = new CommandLine(call);
      command.setCommandName(name);
      var spec = command.getCommandSpec();
      if (name.equals(GET)) {
        spec.aliases(ALIAS);
      }
      var request = call.prototype().getDescriptorForType();
      parts.forEach(part -> fillings.add(part.addTo(spec, request)));
      return command;
    };
  }
}
