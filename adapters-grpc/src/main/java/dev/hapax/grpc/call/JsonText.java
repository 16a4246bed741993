package dev.hapax.grpc.call;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Payload;
import dev.hapax.domain.json.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;

/** JSON as text: checked where it is only kept, parsed and printed where it is decided on. */
public final class JsonText {
  public static final int MAX_DEPTH = 64;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(Payload.MAX_BYTES)
                  .maxStringLength(Payload.MAX_BYTES)
                  .maxNameLength(Payload.MAX_BYTES)
                  .build())
          .build();

  private JsonText() {}

  /** What is read of a value, its parser at the first token. */
  interface Reading<T> {
    T read(JsonParser parser) throws IOException;
  }

  static String check(String text) {
    return read(
        text,
        parser -> {
          parser.skipChildren();
          return text;
        });
  }

  /** The object that the text is. Numbers stay as they are written. */
  public static Json.Obj object(String text) {
    if (read(text, JsonText::value) instanceof Json.Obj object) {
      return object;
    }
    throw new InvalidValueException("must be a JSON object");
  }

  static <T> T read(String text, Reading<T> reading) {
    try (var parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new InvalidValueException("is empty, which is not JSON");
      }
      var value = reading.read(parser);
      if (parser.nextToken() != null) {
        throw new InvalidValueException("has something behind its JSON value");
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw new InvalidValueException("is nested deeper than " + MAX_DEPTH);
    } catch (JsonProcessingException e) {
      var place = e.getLocation();
      throw new InvalidValueException(
          "is not JSON at line %d, column %d".formatted(place.getLineNr(), place.getColumnNr()));
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  /** Deep as the parser allows, no deeper. */
  private static Json value(JsonParser parser) throws IOException {
    var token = parser.currentToken();
    return token == JsonToken.START_OBJECT
        ? members(parser)
        : token == JsonToken.START_ARRAY ? elements(parser) : scalar(parser);
  }

  static Json scalar(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_STRING -> new Json.Str(requireText(parser.getText()));
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Json.Num(parser.getText());
      case VALUE_TRUE -> new Json.Bool(true);
      case VALUE_FALSE -> new Json.Bool(false);
      case VALUE_NULL -> new Json.Null();
      case START_OBJECT,
          START_ARRAY,
          NOT_AVAILABLE,
          END_OBJECT,
          END_ARRAY,
          FIELD_NAME,
          VALUE_EMBEDDED_OBJECT ->
          throw new IllegalStateException("no scalar is " + parser.currentToken());
    };
  }

  private static Json.Obj members(JsonParser parser) throws IOException {
    var members = new LinkedHashMap<String, Json>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = requireText(parser.currentName());
      parser.nextToken();
      members.put(name, value(parser));
    }
    return new Json.Obj(members);
  }

  private static Json.Array elements(JsonParser parser) throws IOException {
    var elements = new ArrayList<Json>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements.add(value(parser));
    }
    return new Json.Array(elements);
  }

  /** Half a character can be escaped in JSON, but is lost when it is printed. */
  static String requireText(String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new InvalidValueException("has an unpaired surrogate");
    }
    return text;
  }

  /** Without spaces. */
  public static String print(Json value) {
    var text = new StringWriter();
    try (var generator = FACTORY.createGenerator(text)) {
      write(value, generator);
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be written", e);
    }
    return text.toString();
  }

  private static void write(Json value, JsonGenerator to) throws IOException {
    switch (value) {
      case Json.Obj(var members) -> {
        to.writeStartObject();
        for (Map.Entry<String, Json> member : members.entrySet()) {
          to.writeFieldName(member.getKey());
          write(member.getValue(), to);
        }
        to.writeEndObject();
      }
      case Json.Array(var elements) -> {
        to.writeStartArray();
        for (var element : elements) {
          write(element, to);
        }
        to.writeEndArray();
      }
      case Json.Str(var string) -> to.writeString(string);
      case Json.Num(var number) -> to.writeNumber(number);
      case Json.Bool(var bool) -> to.writeBoolean(bool);
      case Json.Null _ -> to.writeNull();
    }
  }
}
