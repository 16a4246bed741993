package dev.hapax.bootstrap.kit;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.util.stream.Collectors;

/** The JSON of contract programs. */
final class KitJson {
  private KitJson() {}

  static Struct parse(String line) {
    var parsed = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(line, parsed);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("not a JSON object: " + line, e);
    }
    return parsed.build();
  }

  /** Writes a line with these members to standard output. */
  static synchronized void say(String members) {
    System.out.println("{" + members + "}");
  }

  /** A member as text; empty if it is absent or null. Numbers have no fraction. */
  static String text(Struct line, String member) {
    return text(line.getFieldsOrDefault(member, Value.getDefaultInstance()));
  }

  static String text(Value value) {
    return switch (value.getKindCase()) {
      case STRING_VALUE -> value.getStringValue();
      case NUMBER_VALUE, BOOL_VALUE, STRUCT_VALUE, LIST_VALUE -> print(value);
      case NULL_VALUE, KIND_NOT_SET -> "";
    };
  }

  /** The JSON text of a value: its members in their order, and integers without a fraction. */
  static String print(Value value) {
    return switch (value.getKindCase()) {
      case STRING_VALUE -> quoted(value.getStringValue());
      case NUMBER_VALUE -> number(value.getNumberValue());
      case BOOL_VALUE -> String.valueOf(value.getBoolValue());
      case STRUCT_VALUE ->
          value.getStructValue().getFieldsMap().entrySet().stream()
              .map(member -> quoted(member.getKey()) + ":" + print(member.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case LIST_VALUE ->
          value.getListValue().getValuesList().stream()
              .map(KitJson::print)
              .collect(Collectors.joining(",", "[", "]"));
      case NULL_VALUE, KIND_NOT_SET -> "null";
    };
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? String.valueOf((long) value)
        : String.valueOf(value);
  }

  static String quoted(String text) {
    try {
      return JsonFormat.printer().print(Value.newBuilder().setStringValue(text));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
