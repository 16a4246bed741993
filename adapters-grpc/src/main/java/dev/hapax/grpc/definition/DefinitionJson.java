package dev.hapax.grpc.definition;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.RegisterDefinitionRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Parses the JSON form of a definition and reports all violations, where protobuf's parser stops at
 * the first.
 */
final class DefinitionJson {
  private static final JsonFactory FACTORY = new JsonFactory();

  /** The field whose value a text gives instead of an object: {@code "timer": "14d"}. */
  private static final Map<String, String> SHORT = Map.of("timer", "duration", "signal", "type");

  /** A text within the text. */
  private static final FieldDescriptor JSON =
      RegisterDefinitionRequest.getDescriptor()
          .findFieldByNumber(RegisterDefinitionRequest.JSON_FIELD_NUMBER);

  private final JsonParser parser;
  private final List<Violation> violations;

  private DefinitionJson(JsonParser parser, List<Violation> violations) {
    this.parser = parser;
    this.violations = violations;
  }

  /**
   * Parses the readable parts.
   *
   * @param violations receives the problems
   */
  static RegisterDefinitionRequest read(String text, List<Violation> violations) {
    var request = RegisterDefinitionRequest.newBuilder();
    try (var parser = FACTORY.createParser(text)) {
      var json = new DefinitionJson(parser, violations);
      if (parser.nextToken() == null) {
        json.refuse("", "is empty");
      } else {
        json.message(request, "");
        if (parser.nextToken() != null) {
          json.refuse("", "must contain a single JSON value");
        }
      }
    } catch (JsonProcessingException e) {
      // violations in an incomplete document would only confuse
      violations.clear();
      violations.add(new Violation("", describe(e)));
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
    return request.build();
  }

  private static String describe(JsonProcessingException error) {
    var place = error.getLocation();
    return place == null
        ? "cannot be read: " + error.getOriginalMessage()
        : String.format(
            Locale.ROOT,
            "is not JSON at line %d, column %d",
            place.getLineNr(),
            place.getColumnNr());
  }

  private void refuse(String field, String rule) {
    violations.add(new Violation(field, rule));
  }

  /** Reads an object; the parser moves from the first token of the value to its last. */
  private void message(Message.Builder into, String at) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      refuse(at, "must be an object");
      parser.skipChildren();
      return;
    }
    var seen = new HashSet<FieldDescriptor>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = parser.currentName();
      parser.nextToken();
      var field = field(into.getDescriptorForType(), name);
      if (field.isEmpty()) {
        refuse(path(at, name), "is not a field; fields are " + names(into.getDescriptorForType()));
        parser.skipChildren();
      } else if (!seen.add(field.get())) {
        refuse(path(at, field.get().getName()), "is given twice");
        parser.skipChildren();
      } else if (parser.currentToken() != JsonToken.VALUE_NULL) {
        member(into, field.get(), at);
      }
    }
  }

  private void member(Message.Builder into, FieldDescriptor field, String at) throws IOException {
    var path = path(at, field.getName());
    var choice = field.getContainingOneof();
    if (choice != null && into.hasOneof(choice)) {
      refuse(path, "cannot be set together with " + into.getOneofFieldDescriptor(choice).getName());
      parser.skipChildren();
    } else if (!field.isRepeated()) {
      value(into, field, path).ifPresent(value -> into.setField(field, value));
    } else if (parser.currentToken() != JsonToken.START_ARRAY) {
      refuse(path, "must be a list");
      parser.skipChildren();
    } else {
      for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
        value(into, field, path + "[" + i + "]")
            .ifPresent(value -> into.addRepeatedField(field, value));
      }
    }
  }

  private Optional<Object> value(Message.Builder into, FieldDescriptor field, String at)
      throws IOException {
    if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
        && !DefinitionValues.isWritten(field)) {
      var message = into.newBuilderForField(field);
      if (parser.currentToken() == JsonToken.VALUE_STRING && SHORT.containsKey(field.getName())) {
        var only = field.getMessageType().findFieldByName(SHORT.get(field.getName()));
        value(message, only, at).ifPresent(value -> message.setField(only, value));
      } else {
        message(message, at);
      }
      return Optional.of(message.build());
    }
    if (!parser.currentToken().isScalarValue()) {
      refuse(at, "must be a single value");
      parser.skipChildren();
      return Optional.empty();
    }
    try {
      return Optional.of(
          DefinitionValues.read(
              field, parser.getText(), parser.currentToken() == JsonToken.VALUE_STRING));
    } catch (IllegalArgumentException e) {
      refuse(at, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private static Optional<FieldDescriptor> field(Descriptor type, String name) {
    return written(type)
        .filter(field -> field.getName().equals(name) || field.getJsonName().equals(name))
        .findFirst();
  }

  private static String names(Descriptor type) {
    return written(type).map(FieldDescriptor::getName).collect(Collectors.joining(", "));
  }

  private static Stream<FieldDescriptor> written(Descriptor type) {
    return type.getFields().stream().filter(field -> !field.equals(JSON));
  }

  private static String path(String at, String name) {
    return at.isEmpty() ? name : at + "." + name;
  }
}
