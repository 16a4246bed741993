package dev.hapax.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds values that an enum does not have. The parser of messages ignores them together with
 * unknown fields, and the call would then act by the enum's default.
 */
final class JsonEnums {
  private static final JsonFactory JSON = new JsonFactory();

  private final JsonParser parser;

  private JsonEnums(JsonParser parser) {
    this.parser = parser;
  }

  /** A field whose enum does not have the value that was sent, which may be a secret. */
  record Unknown(String field, EnumDescriptor type) {
    String rule() {
      return type.getValues().stream()
          .filter(value -> value.getNumber() != 0)
          .map(EnumValueDescriptor::getName)
          .collect(Collectors.joining(", ", "must be one of ", ""));
    }
  }

  /**
   * Returns the first value that its enum does not have.
   *
   * @param text one JSON value, whose syntax has been checked
   */
  static Optional<Unknown> unknown(String text, Descriptor type) {
    try (var parser = JSON.createParser(text)) {
      return parser.nextToken() == JsonToken.START_OBJECT
          ? new JsonEnums(parser).message(type, "")
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Optional<Unknown> message(Descriptor type, String prefix) throws IOException {
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

  private Optional<Unknown> values(FieldDescriptor field, String path) throws IOException {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      return value(field, path);
    }
    for (var i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      var found = value(field, String.format(Locale.ROOT, "%s[%d]", path, i));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Unknown> value(FieldDescriptor field, String path) throws IOException {
    if (parser.currentToken().isScalarValue()) {
      return field.getJavaType() == FieldDescriptor.JavaType.ENUM
              && !isReadable(field.getEnumType())
          ? Optional.of(new Unknown(path, field.getEnumType()))
          : Optional.empty();
    }
    return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
            && !field.isMapField()
            && parser.currentToken() == JsonToken.START_OBJECT
        ? message(field.getMessageType(), path + ".")
        : skipped();
  }

  /** A number that the enum does not have is kept, and refused by the method. */
  private boolean isReadable(EnumDescriptor type) throws IOException {
    var text = parser.getText();
    return parser.currentToken() == JsonToken.VALUE_NULL
        || type.findValueByName(text) != null
        || isInt(text);
  }

  private static boolean isInt(String text) {
    try {
      Integer.parseInt(text);
      return true;
    } catch (NumberFormatException _) {
      return false;
    }
  }

  private Optional<Unknown> skipped() throws IOException {
    parser.skipChildren();
    return Optional.empty();
  }
}
