package dev.hapax.domain.json;

import dev.hapax.domain.InvalidValueException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.stream.Stream;

/**
 * Finds a value in JSON text without parsing all of it (<a
 * href="https://www.rfc-editor.org/rfc/rfc6901">RFC 6901</a>).
 *
 * @param text empty = the whole document; otherwise each part begins with a slash
 */
public record JsonPointer(String text) {
  public JsonPointer {
    if (!text.isEmpty() && text.charAt(0) != '/') {
      throw new InvalidValueException("must be a JSON pointer such as /tenant");
    }
    for (var i = text.indexOf('~'); i >= 0; i = text.indexOf('~', i + 1)) {
      if (i + 1 == text.length() || (text.charAt(i + 1) != '0' && text.charAt(i + 1) != '1')) {
        throw new InvalidValueException("has a ~ that is neither ~0 nor ~1");
      }
    }
  }

  /**
   * The text of the string, number or boolean at this pointer; empty = there is none.
   *
   * @param json a valid document
   */
  public Optional<String> scalarIn(String json) {
    var parts = new ArrayDeque<String>();
    Stream.of(text.split("/", -1))
        .skip(1)
        .map(part -> part.replace("~1", "/").replace("~0", "~"))
        .forEach(parts::add);
    return new Scan(json).find(parts);
  }

  /** A position in valid JSON text. */
  private static final class Scan {
    private static final int HEX_DIGITS = 4;
    private final String json;
    private int at;

    Scan(String json) {
      this.json = json;
    }

    Optional<String> find(Queue<String> parts) {
      while (!parts.isEmpty()) {
        var part = parts.remove();
        var isFound =
            switch (next()) {
              case '{' -> enterMember(part);
              case '[' -> enterElement(part);
              default -> false;
            };
        if (!isFound) {
          return Optional.empty();
        }
      }
      return switch (next()) {
        case '{', '[', 'n' -> Optional.empty();
        case '"' -> Optional.of(string());
        default -> Optional.of(plain());
      };
    }

    /** The next character that is no space. */
    private char next() {
      while (Character.isWhitespace(json.charAt(at))) {
        at++;
      }
      return json.charAt(at);
    }

    /** Of a name that occurs twice, finds the first. */
    private boolean enterMember(String name) {
      at++;
      while (next() != '}') {
        var found = string();
        next();
        at++; // the colon
        if (found.equals(name)) {
          return true;
        }
        skip();
        if (next() == ',') {
          at++;
        }
      }
      return false;
    }

    private boolean enterElement(String index) {
      at++;
      for (var i = 0; next() != ']'; i++) {
        if (index.equals(Integer.toString(i))) {
          return true;
        }
        skip();
        if (next() == ',') {
          at++;
        }
      }
      return false;
    }

    private void skip() {
      switch (next()) {
        case '"' -> string();
        case '{', '[' -> skipNested();
        default -> plain();
      }
    }

    private void skipNested() {
      var depth = 0;
      do {
        switch (next()) {
          case '"' -> {
            string();
            continue;
          }
          case '{', '[' -> depth++;
          case '}', ']' -> depth--;
          default -> {}
        }
        at++;
      } while (depth > 0);
    }

    /** A number, or a word. */
    private String plain() {
      var from = at;
      while (at < json.length() && ",]} \t\r\n".indexOf(json.charAt(at)) < 0) {
        at++;
      }
      return json.substring(from, at);
    }

    private String string() {
      next();
      at++;
      var value = new StringBuilder();
      while (json.charAt(at) != '"') {
        value.append(json.charAt(at) == '\\' ? escaped() : json.charAt(at));
        at++;
      }
      at++;
      return value.toString();
    }

    /** The character behind a backslash; ends at the last one of the escape. */
    private char escaped() {
      at++;
      return switch (json.charAt(at)) {
        case 'u' -> {
          at += HEX_DIGITS;
          yield (char) Integer.parseInt(json, at - HEX_DIGITS + 1, at + 1, 16);
        }
        case 'b' -> '\b';
        case 'f' -> '\f';
        case 'n' -> '\n';
        case 'r' -> '\r';
        case 't' -> '\t';
        default -> json.charAt(at);
      };
    }
  }
}
