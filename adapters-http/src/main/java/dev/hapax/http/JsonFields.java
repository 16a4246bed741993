package dev.hapax.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;

/**
 * Checks that each field of a message has JSON of its type. The parser of messages takes a number
 * for a text, moves times that no calendar has, ignores values that an enum does not have, and
 * names neither field nor value in its errors.
 */
final class JsonFields {
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonParser parser;

  private JsonFields(JsonParser parser) {
    this.parser = parser;
  }

  /**
   * A field with JSON of another type.
   *
   * @param field its path, by the names of the proto
   */
  record Violation(String field, String rule) {}

  /**
   * Returns the first violation.
   *
   * @param text one JSON value, whose syntax has been checked
   */
  static Optional<Violation> violation(String text, Descriptor type) {
    try (var parser = JSON.createParser(text)) {
      return parser.nextToken() == JsonToken.START_OBJECT
          ? new JsonFields(parser).message(type, "")
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<Violation> message(Descriptor type, String prefix) throws IOException {
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var field = field(type, parser.currentName());
      parser.nextToken();
      var found =
          field.isPresent() ? values(field.get(), prefix + field.get().getName()) : skipped();
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static Optional<FieldDescriptor> field(Descriptor type, String name) {
    return type.getFields().stream()
        .filter(field -> field.getJsonName().equals(name) || field.getName().equals(name))
        .findFirst();
  }

  private Optional<Violation> values(FieldDescriptor field, String path) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return Optional.empty();
    }
    if (field.isMapField()) {
      return parser.currentToken() == JsonToken.START_OBJECT
          ? map(field.getMessageType().findFieldByName("value"), path)
          : misplaced(path, "must be an object");
    }
    if (!field.isRepeated()) {
      return value(field, path);
    }
    return parser.currentToken() == JsonToken.START_ARRAY
        ? list(field, path)
        : misplaced(path, "must be a list");
  }

  private Optional<Violation> map(FieldDescriptor value, String path) throws IOException {
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var key = parser.currentName();
      parser.nextToken();
      var found = value(value, "%s[\"%s\"]".formatted(path, JsonValues.cut(key)));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> list(FieldDescriptor field, String path) throws IOException {
    for (var i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      var found = value(field, String.format(Locale.ROOT, "%s[%d]", path, i));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Violation> value(FieldDescriptor field, String path) throws IOException {
    if (JsonValues.isObject(field)) {
      return parser.currentToken() == JsonToken.START_OBJECT
          ? message(field.getMessageType(), path + ".")
          : misplaced(path, "must be an object");
    }
    var token = parser.currentToken();
    var text = parser.getText();
    return JsonValues.rule(field, token, text)
        .map(rule -> new Violation(path, rule + was(JsonValues.shown(token, text))));
  }

  /** Does not repeat the value, which may be a payload. */
  private Optional<Violation> misplaced(String path, String rule) {
    return Optional.of(new Violation(path, rule + was(JsonValues.kind(parser.currentToken()))));
  }

  private static String was(String value) {
    return " (was %s)".formatted(value);
  }

  private Optional<Violation> skipped() throws IOException {
    parser.skipChildren();
    return Optional.empty();
  }
}
