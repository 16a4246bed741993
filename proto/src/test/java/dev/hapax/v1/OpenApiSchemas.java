package dev.hapax.v1;

import static dev.hapax.v1.OpenApi.object;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The JSON of messages and enums as schemas: those that were asked for, and what they consist of.
 */
final class OpenApiSchemas {
  private final Map<String, String> comments;
  private final Map<String, Object> schemas = new TreeMap<>();

  OpenApiSchemas(Map<String, String> comments) {
    this.comments = comments;
  }

  Map<String, Object> all() {
    return schemas;
  }

  /** A reference to the schema of a message. */
  Map<String, Object> reference(Descriptor message) {
    if (!schemas.containsKey(message.getFullName())) {
      // first its name, since messages contain themselves
      schemas.put(message.getFullName(), object());
      schemas.put(message.getFullName(), schema(message));
    }
    return object("$ref", "#/components/schemas/" + message.getFullName());
  }

  private Map<String, Object> reference(EnumDescriptor type) {
    schemas.computeIfAbsent(
        type.getFullName(),
        name ->
            object(
                "type",
                "string",
                "description",
                comment(name) + values(type),
                "enum",
                type.getValues().stream().map(EnumValueDescriptor::getName).toList()));
    return object("$ref", "#/components/schemas/" + type.getFullName());
  }

  private String values(EnumDescriptor type) {
    return type.getValues().stream()
        .map(
            value ->
                "\n- `%s`: %s"
                    .formatted(
                        value.getName(), comment(type.getFullName() + "." + value.getName())))
        .collect(Collectors.joining("", "\n", ""));
  }

  private Map<String, Object> schema(Descriptor message) {
    var properties = new LinkedHashMap<String, Object>();
    for (var field : message.getFields()) {
      var property = new LinkedHashMap<>(type(field));
      property.put("description", comment(field.getFullName()));
      if (field.getOptions().getDeprecated()) {
        property.put("deprecated", true);
      }
      properties.put(field.getJsonName(), property);
    }
    var schema =
        object(
            "type",
            "object",
            "description",
            comment(message.getFullName()) + choices(message),
            "properties",
            properties);
    var required = required(message);
    if (!required.isEmpty()) {
      schema.put("required", required);
    }
    return schema;
  }

  private static List<String> required(Descriptor message) {
    return message.getFields().stream()
        .filter(field -> rules(field).getRequired() && field.getContainingOneof() == null)
        .map(FieldDescriptor::getJsonName)
        .toList();
  }

  private static FieldRules rules(FieldDescriptor field) {
    return field.getOptions().getExtension(RulesProto.rules);
  }

  private static String choices(Descriptor message) {
    return message.getRealOneofs().stream()
        .map(OpenApiSchemas::choice)
        .collect(Collectors.joining());
  }

  private static String choice(OneofDescriptor oneof) {
    return oneof.getFields().stream()
        .map(field -> "`%s`".formatted(field.getJsonName()))
        .collect(Collectors.joining(", ", "\n\nAt most one is set: ", "."));
  }

  private Map<String, Object> type(FieldDescriptor field) {
    if (field.isMapField()) {
      return object(
          "type",
          "object",
          "additionalProperties",
          one(field.getMessageType().findFieldByName("value")));
    }
    if (!field.isRepeated()) {
      return one(field);
    }
    var list = object("type", "array", "items", one(field));
    limit(list, "maxItems", rules(field).getMaxItems());
    return list;
  }

  private static void limit(Map<String, Object> schema, String name, int limit) {
    if (limit > 0) {
      schema.put(name, limit);
    }
  }

  private static Map<String, Object> text(FieldRules rules) {
    var text = object("type", "string");
    limit(text, "minLength", rules.getRequired() ? 1 : 0);
    limit(text, "maxLength", rules.getText().getMaxChars());
    if (rules.getTarget() == Target.TARGET_WORKSPACE) {
      text.put("pattern", "^([a-z][a-z0-9-]{0,62})?$");
    }
    return text;
  }

  private static Map<String, Object> number(FieldRules rules, String type, String... format) {
    var number = object("type", type);
    if (format.length > 0) {
      number.put("format", format[0]);
    }
    if (rules.hasNumber()) {
      number.put("minimum", rules.getNumber().getOrZero() ? 0 : (long) rules.getNumber().getMin());
    }
    if (rules.getNumber().hasMax()) {
      number.put("maximum", (long) rules.getNumber().getMax());
    }
    return number;
  }

  private Map<String, Object> one(FieldDescriptor field) {
    return switch (field.getJavaType()) {
      case BOOLEAN -> object("type", "boolean");
      case BYTE_STRING -> object("type", "string", "contentEncoding", "base64");
      case DOUBLE, FLOAT -> number(rules(field), "number");
      case ENUM -> reference(field.getEnumType());
      case INT -> number(rules(field), "integer", "int32");
      // JavaScript has no integers of 64 bits
      case LONG -> object("type", "string", "format", "int64");
      case STRING -> text(rules(field));
      case MESSAGE -> message(field.getMessageType());
    };
  }

  private Map<String, Object> message(Descriptor message) {
    return switch (message.getFullName()) {
      case "google.protobuf.Timestamp" -> object("type", "string", "format", "date-time");
      case "google.protobuf.Duration" ->
          object(
              "type",
              "string",
              "pattern",
              "^-?[0-9]+(\\.[0-9]{1,9})?s$",
              "examples",
              List.of("1.5s"));
      case "google.protobuf.Empty" -> object("type", "object");
      default -> reference(message);
    };
  }

  private String comment(String name) {
    var comment = comments.get(name);
    if (comment == null) {
      throw new IllegalStateException(name + " has no comment");
    }
    return comment;
  }
}
