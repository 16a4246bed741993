package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.util.Durations;
import dev.hapax.v1.Payload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A field of a request, which an option fills. The type of the field decides how its option is
 * parsed.
 *
 * @param path fields from the request to the field, such as {@code contract} and {@code module}
 */
record RequestField(List<FieldDescriptor> path) {
  /**
   * Finds a field.
   *
   * @param path names with dots between them, such as {@code contract.module}
   */
  static RequestField of(Descriptor request, String path) {
    var fields = new ArrayList<FieldDescriptor>();
    var message = request;
    for (var name : path.split("\\.", -1)) {
      var field = message.findFieldByName(name);
      if (field == null) {
        throw new IllegalArgumentException(message.getFullName() + " has no field " + name);
      }
      fields.add(field);
      message = isMessage(field) ? field.getMessageType() : message;
    }
    return new RequestField(List.copyOf(fields));
  }

  private static boolean isMessage(FieldDescriptor field) {
    return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
  }

  private FieldDescriptor field() {
    return path.getLast();
  }

  /** Makes an option parse values of this field. */
  OptionSpec.Builder parsedBy(OptionSpec.Builder option) {
    if (field().isMapField()) {
      return option.type(LinkedHashMap.class).auxiliaryTypes(String.class, String.class);
    }
    return switch (field().getJavaType()) {
      case STRING -> values(option, String.class);
      case BOOLEAN -> values(option, Boolean.class);
      case LONG -> values(option, Long.class);
      case INT -> values(option, Integer.class);
      case ENUM -> {
        var type = field().getEnumType();
        yield values(option, EnumValueDescriptor.class)
            .converters((ITypeConverter<?>) text -> EnumOption.parse(type, text))
            .completionCandidates(EnumOption.names(type));
      }
      case MESSAGE -> message(option, field().getMessageType());
      case FLOAT, DOUBLE, BYTE_STRING -> throw unsupported();
    };
  }

  private OptionSpec.Builder values(OptionSpec.Builder option, Class<?> type) {
    return field().isRepeated() ? option.type(List.class).auxiliaryTypes(type) : option.type(type);
  }

  private OptionSpec.Builder message(OptionSpec.Builder option, Descriptor type) {
    if (type.equals(Duration.getDescriptor())) {
      return option.type(Duration.class).converters((ITypeConverter<?>) RequestField::duration);
    }
    if (type.equals(Payload.getDescriptor())) {
      return option.type(Payload.class).converters(new PayloadText());
    }
    throw unsupported();
  }

  private static Duration duration(String text) {
    return Durations.fromMillis(new TimeOption.Length().convert(text).toMillis());
  }

  private IllegalArgumentException unsupported() {
    return new IllegalArgumentException("no option can fill " + field().getFullName());
  }

  Object get(Message request) {
    var message = request;
    for (var outer : path.subList(0, path.size() - 1)) {
      message = (Message) message.getField(outer);
    }
    return message.getField(field());
  }

  /** Sets the field to the value of its option. */
  void set(Message.Builder request, Object value) {
    var builder = request;
    for (var outer : path.subList(0, path.size() - 1)) {
      builder = builder.getFieldBuilder(outer);
    }
    switch (value) {
      case Map<?, ?> entries -> {
        for (var entry : entries.entrySet()) {
          builder.addRepeatedField(field(), entry(builder, entry));
        }
      }
      case Collection<?> values -> {
        for (var each : values) {
          builder.addRepeatedField(field(), each);
        }
      }
      default -> builder.setField(field(), value);
    }
  }

  private Message entry(Message.Builder builder, Map.Entry<?, ?> entry) {
    var type = field().getMessageType();
    return builder
        .newBuilderForField(field())
        .setField(type.findFieldByName("key"), entry.getKey())
        .setField(type.findFieldByName("value"), entry.getValue())
        .build();
  }
}
