package dev.hapax.grpc.call;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.json.Json;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Validates, parses and prints JSON. */
public final class JsonText {
  public static final int MAX_DEPTH = 64;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  // the whole text has a limit where it is received
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private JsonText() {}

  /** Reads a value; the parser is at its first token. */
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

  /** Parses an object. Numbers keep their notation. */
  public static Json.Obj object(String text) {
    if (read(text, JsonText::value) instanceof Json.Obj object) {
      return object;
    }
    throw new InvalidValueException("must be a JSON object");
  }

  static <T> T read(String text, Reading<T> reading) {
    try (var parser = FACTORY.createParser(text)) {
      if (parser.nextToken() == null) {
        throw new InvalidValueException("is empty, but must be JSON");
      }
      var value = reading.read(parser);
      if (parser.nextToken() != null) {
        throw new InvalidValueException("has text after its JSON value");
      }
      return value;
    } catch (StreamConstraintsException e) {
      throw new InvalidValueException("is nested deeper than " + MAX_DEPTH);
    } catch (JsonProcessingException e) {
      var location = e.getLocation();
      throw new InvalidValueException(
          String.format(
              Locale.ROOT,
              "is not JSON at line %d, column %d",
              location.getLineNr(),
              location.getColumnNr()));
    } catch (IOException e) {
      throw new UncheckedIOException("failed to read a string", e);
    }
  }

  /** Recursive; the parser bounds the depth. */
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
          throw new IllegalStateException("not a JSON scalar: " + parser.currentToken());
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

  /** Rejects an unpaired surrogate: JSON can escape it, but UTF-8 cannot encode it. */
  static String requireText(String text) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new InvalidValueException("has an unpaired surrogate");
    }
    return text;
  }

  /** Prints a value without white space. */
  public static String print(Json value) {
    var text = new StringWriter();
    try (var generator = FACTORY.createGenerator(text)) {
      write(value, generator);
    } catch (IOException e) {
      throw new UncheckedIOException("failed to write a string", e);
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
