package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import com.google.protobuf.ProtocolMessageEnum;
import com.google.protobuf.Timestamp;
import io.grpc.MethodDescriptor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The description of a command that calls one method: its help, and the options that fill the
 * request. {@link #calls} names the method, whose fields decide how their options are parsed.
 * Workspace, actor and pages are filled without an option.
 */
public final class RpcCommand {
  private final String name;
  private final List<Part> parts = new ArrayList<>();
  private Function<Message, String> repeatedBy = _ -> "";
  private int arguments;

  /** Adds an option to a command; returns what it fills of the request. */
  interface Part {
    RequestFilling addTo(CommandSpec spec, Descriptor request);
  }

  private RpcCommand(String name) {
    this.name = name;
  }

  public static RpcCommand of(String name, String... description) {
    return new RpcCommand(name).part(spec -> spec.usageMessage().description(description));
  }

  private RpcCommand part(Part part) {
    parts.add(part);
    return this;
  }

  private RpcCommand part(Consumer<CommandSpec> part) {
    return part(
        (spec, _) -> {
          part.accept(spec);
          return RequestFilling.NOTHING;
        });
  }

  /** Names what is missing if the exit code is 3. */
  public RpcCommand absent(String text) {
    return absent(text, "failure");
  }

  /** Names what is missing if the exit code is 3, and what failed if it is 1. */
  public RpcCommand absent(String text, String failure) {
    return exits("0:success", "1:" + failure, "2:invalid usage", "3:" + text);
  }

  /** Sets the text of exit codes, such as {@code 0:success}. */
  public RpcCommand exits(String... codes) {
    var texts = new LinkedHashMap<String, String>();
    for (var code : codes) {
      texts.put(code.substring(0, 1), code.substring(2));
    }
    return part(spec -> spec.usageMessage().exitCodeList(texts));
  }

  /** Adds options that several commands share. */
  public RpcCommand with(UnaryOperator<RpcCommand> options) {
    return options.apply(this);
  }

  /** Adds annotated options, and what they fill of the request. */
  public RpcCommand with(Object options, RequestFilling filling) {
    return part(
        (spec, _) -> {
          spec.addMixin(
              options.getClass().getSimpleName(), CommandSpec.forAnnotatedObject(options));
          return filling;
        });
  }

  /** Adds an argument for a field of text; arguments are typed in this order. */
  public RpcCommand argument(String field, String label, String description) {
    var argument =
        PositionalParamSpec.builder()
            .index(Integer.toString(arguments++))
            .type(String.class)
            .arity("1")
            .required(true)
            .paramLabel(label)
            .description(description)
            .build();
    return part(
        (spec, request) -> {
          spec.addPositional(argument);
          return filling(argument, RequestField.of(request, field)::set);
        });
  }

  /** Adds an option for the field of the same name. */
  public RpcCommand option(String option, String label, String description) {
    return option(option, fieldOf(option), label, description);
  }

  /** Adds an option for a field; it is repeatable if the field is. */
  public RpcCommand option(String option, String field, String label, String description) {
    return option(field, builder(option, description).paramLabel(label));
  }

  /** Adds an option that must be given. */
  public RpcCommand required(String option, String label, String description) {
    return required(option, fieldOf(option), label, description);
  }

  /** Adds an option for a field that must be given. */
  public RpcCommand required(String option, String field, String label, String description) {
    return option(field, builder(option, description).paramLabel(label).required(true));
  }

  /** Adds an option without a value for a boolean field. */
  public RpcCommand flag(String option, String field, String description) {
    return option(field, builder(option, description));
  }

  /** Adds an option without a value that sets a field to a value. */
  public RpcCommand flag(
      String option, String field, ProtocolMessageEnum value, String description) {
    var flag = builder(option, description).type(Boolean.class).build();
    return part(
        (spec, request) -> {
          var target = RequestField.of(request, field);
          spec.addOption(flag);
          return filling(flag, (filled, _) -> target.set(filled, value.getValueDescriptor()));
        });
  }

  /** Adds an option with a duration that sets a time that long ago. */
  public RpcCommand age(String option, String field, String description) {
    return time(
        field,
        builder(option, description).paramLabel("DURATION"),
        text -> TimeOption.wire(Instant.now().minus(new TimeOption.Length().convert(text))));
  }

  /** Adds an option with a time, or with a duration that sets a time that long ago. */
  public RpcCommand since(String option, String field, String description) {
    return time(
        field,
        builder(option, description).paramLabel("TIME"),
        text -> TimeOption.wire(new TimeOption.Converter().convert(text).ago(Instant.now())));
  }

  private RpcCommand time(
      String field, OptionSpec.Builder option, ITypeConverter<Timestamp> converter) {
    var time = option.type(Timestamp.class).converters(converter).build();
    return part(
        (spec, request) -> {
          spec.addOption(time);
          return filling(time, RequestField.of(request, field)::set);
        });
  }

  /** Adds an option for the idempotency key of the request, which is a new one by default. */
  public RpcCommand key(String option, String field, String description) {
    repeatedBy =
        request ->
            option + " " + RequestField.of(request.getDescriptorForType(), field).get(request);
    return option(
        field,
        builder(option, description).paramLabel("ID").initialValue(UUID.randomUUID().toString()));
  }

  private static OptionSpec.Builder builder(String option, String description) {
    return OptionSpec.builder(option).description(description);
  }

  private static String fieldOf(String option) {
    return option.substring(2).replace('-', '_');
  }

  private RpcCommand option(String field, OptionSpec.Builder option) {
    return part(
        (spec, request) -> {
          var target = RequestField.of(request, field);
          var added = target.parsedBy(option).build();
          spec.addOption(added);
          return filling(added, target::set);
        });
  }

  private interface Setter {
    void set(Message.Builder request, Object value);
  }

  /** Sets nothing without the option. */
  private static RequestFilling filling(ArgSpec argument, Setter setter) {
    return request -> {
      Object value = argument.getValue();
      if (value != null) {
        setter.set(request, value);
      }
    };
  }

  /** Names the method that the command calls. */
  public <Q extends Message, R extends Message> RpcOutput<Q, R> calls(
      MethodDescriptor<Q, R> method) {
    return new RpcOutput<>(name, parts, method, repeatedBy::apply);
  }
}
