package dev.hapax.domain.json;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A parsed JSON document with its line numbers, so that violations can point to a line.
 *
 * @param lines by JSON pointer, from 1; empty = unknown
 * @param duplicates pointers of members that occur twice; the value has the last of them
 */
public record Document(Json root, Map<String, Integer> lines, List<String> duplicates) {
  public Document {
    lines = Map.copyOf(lines);
    duplicates = List.copyOf(duplicates);
  }

  public static Document of(Json root) {
    return new Document(root, Map.of(), List.of());
  }

  /** The line of a value, or of its closest known parent. */
  OptionalInt line(String pointer) {
    var known = pointer;
    while (!lines.containsKey(known) && !known.isEmpty()) {
      known = known.substring(0, known.lastIndexOf('/'));
    }
    var line = lines.get(known);
    return line == null ? OptionalInt.empty() : OptionalInt.of(line);
  }

  /** The pointer of a member (<a href="https://www.rfc-editor.org/rfc/rfc6901">RFC 6901</a>). */
  public static String pointer(String parent, String member) {
    return parent + '/' + member.replace("~", "~0").replace("/", "~1");
  }
}
