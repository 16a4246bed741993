package dev.hapax.postgres.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.hapax.domain.json.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints JSON values for storage, and parses them again. */
public final class StoredJson {
  /** The last code unit that is not escaped: PostgreSQL rejects half a surrogate pair. */
  private static final int LAST_PLAIN = Character.MIN_SURROGATE - 1;

  /**
   * No limits of size: requests were validated before they were stored. They are also nested far
   * less deep than the parser's default allows.
   */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private StoredJson() {}

  public static String print(Json value) {
    var text = new StringWriter(value.size());
    try (var generator = FACTORY.createGenerator(text)) {
      generator.setHighestNonEscapedChar(LAST_PLAIN);
      write(generator, value);
    } catch (IOException e) {
      throw new UncheckedIOException("writing JSON to memory failed", e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator generator, Json value) throws IOException {
    switch (value) {
      case Json.Obj(var members) -> {
        generator.writeStartObject();
        for (var member : members.entrySet()) {
          generator.writeFieldName(member.getKey());
          write(generator, member.getValue());
        }
        generator.writeEndObject();
      }
      case Json.Array(var elements) -> {
        generator.writeStartArray();
        for (var element : elements) {
          write(generator, element);
        }
        generator.writeEndArray();
      }
      case Json.Str(var string) -> generator.writeString(string);
      case Json.Num(var number) -> generator.writeNumber(number);
      case Json.Bool(var bool) -> generator.writeBoolean(bool);
      case Json.Null() -> generator.writeNull();
    }
  }

  public static Json parse(String text) {
    try (var parser = FACTORY.createParser(text)) {
      return value(parser, parser.nextToken());
    } catch (IOException e) {
      throw new UncheckedIOException("stored text is not valid JSON", e);
    }
  }

  private static Json value(JsonParser parser, JsonToken token) throws IOException {
    return switch (token) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> new Json.Str(parser.getText());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Json.Num(parser.getText());
      case VALUE_TRUE, VALUE_FALSE -> new Json.Bool(token == JsonToken.VALUE_TRUE);
      case VALUE_NULL -> new Json.Null();
      case END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
          throw new IllegalStateException("no JSON value begins with " + token);
    };
  }

  private static Json.Obj object(JsonParser parser) throws IOException {
    Map<String, Json> members = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = parser.currentName();
      members.put(name, value(parser, parser.nextToken()));
    }
    return new Json.Obj(members);
  }

  private static Json.Array array(JsonParser parser) throws IOException {
    List<Json> elements = new ArrayList<>();
    for (var token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
      elements.add(value(parser, token));
    }
    return new Json.Array(elements);
  }

  public static Json.Array strings(List<String> strings) {
    return new Json.Array(strings.stream().<Json>map(Json.Str::new).toList());
  }

  /** The inverse of {@link #strings}. */
  public static List<String> strings(Json array) {
    return ((Json.Array) array).elements().stream().map(StoredJson::string).toList();
  }

  public static String string(Json string) {
    return ((Json.Str) string).value();
  }
}
