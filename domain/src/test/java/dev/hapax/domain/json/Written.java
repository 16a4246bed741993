package dev.hapax.domain.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses JSON for tests, with the lines of its values and its duplicates, as adapters do. It
 * expects valid JSON without escapes.
 */
public final class Written {
  private final String text;
  private final Map<String, Integer> lines = new HashMap<>();
  private final List<String> duplicates = new ArrayList<>();
  private int at;
  private int line = 1;

  private Written(String text) {
    this.text = text;
  }

  public static Document of(String text) {
    var written = new Written(text);
    var root = written.value("");
    return new Document(root, written.lines, written.duplicates);
  }

  private Json value(String pointer) {
    var first = peek();
    lines.put(pointer, line);
    return switch (first) {
      case '{' -> object(pointer);
      case '[' -> array(pointer);
      case '"' -> new Json.Str(string());
      default -> word();
    };
  }

  private Json object(String pointer) {
    var members = new LinkedHashMap<String, Json>();
    for (at++; peek() != '}'; skip(',')) {
      var name = string();
      skip(':');
      var member = Document.pointer(pointer, name);
      if (members.containsKey(name)) {
        duplicates.add(member);
      }
      members.put(name, value(member));
    }
    at++;
    return new Json.Obj(members);
  }

  private Json array(String pointer) {
    var elements = new ArrayList<Json>();
    for (at++; peek() != ']'; skip(',')) {
      elements.add(value(Document.pointer(pointer, "" + elements.size())));
    }
    at++;
    return new Json.Array(elements);
  }

  private String string() {
    peek();
    var end = text.indexOf('"', at + 1);
    var string = text.substring(at + 1, end);
    at = end + 1;
    return string;
  }

  private Json word() {
    var start = at;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return switch (text.substring(start, at)) {
      case "null" -> new Json.Null();
      case "true" -> new Json.Bool(true);
      case "false" -> new Json.Bool(false);
      case String number -> new Json.Num(number);
    };
  }

  /** The next character that is no space. */
  private char peek() {
    while (Character.isWhitespace(text.charAt(at))) {
      if (text.charAt(at) == '\n') {
        line++;
      }
      at++;
    }
    return text.charAt(at);
  }

  private void skip(char separator) {
    if (peek() == separator) {
      at++;
    }
  }
}
