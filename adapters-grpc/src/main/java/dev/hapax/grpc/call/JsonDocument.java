package dev.hapax.grpc.call;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses JSON that people write, with the line of every value and the duplicate members. */
public final class JsonDocument {
  /**
   * The longest pointer; a deeper value has the line of an outer one. Without a limit the pointers
   * of a document of 256 KiB can take gigabytes.
   */
  private static final int MAX_POINTER = 512;

  /** Replaces a name that is too long and everything below it. */
  private static final String CUT = "/...";

  private static final int MAX_LINES = 50_000;
  private static final int MAX_DUPLICATES = 1_000;

  private final JsonParser parser;
  private final Map<String, Integer> lines = new HashMap<>();
  private final List<String> duplicates = new ArrayList<>();

  private JsonDocument(JsonParser parser) {
    this.parser = parser;
  }

  /**
   * Parses a text.
   *
   * @throws dev.hapax.domain.InvalidValueException if it is not JSON, or nested deeper than 64; the
   *     rule says where
   */
  public static Document parse(String text) {
    return JsonText.read(text, parser -> new JsonDocument(parser).document());
  }

  private Document document() throws IOException {
    var root = value("");
    return new Document(root, lines, duplicates);
  }

  private Json value(String pointer) throws IOException {
    if (lines.size() < MAX_LINES) {
      lines.putIfAbsent(pointer, parser.currentTokenLocation().getLineNr());
    }
    var token = parser.currentToken();
    return token == JsonToken.START_OBJECT
        ? members(pointer)
        : token == JsonToken.START_ARRAY ? elements(pointer) : JsonText.scalar(parser);
  }

  private Json.Obj members(String pointer) throws IOException {
    var members = new LinkedHashMap<String, Json>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      var name = JsonText.requireText(parser.currentName());
      parser.nextToken();
      var child = below(pointer, name);
      if (members.put(name, value(child)) != null && duplicates.size() < MAX_DUPLICATES) {
        duplicates.add(child);
      }
    }
    return new Json.Obj(members);
  }

  private Json.Array elements(String pointer) throws IOException {
    var elements = new ArrayList<Json>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements.add(value(below(pointer, Integer.toString(elements.size()))));
    }
    return new Json.Array(elements);
  }

  private static String below(String pointer, String name) {
    if (pointer.endsWith(CUT)) {
      return pointer;
    }
    return pointer.length() + name.length() < MAX_POINTER
        ? Document.pointer(pointer, name)
        : pointer + CUT;
  }
}
