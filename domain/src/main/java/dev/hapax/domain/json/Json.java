package dev.hapax.domain.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A JSON value. Adapters parse and print it. */
public sealed interface Json {
  /** The number of bytes when printed without spaces. */
  int size();

  private static int quoted(String text) {
    return 2 + text.codePoints().map(Json::printed).sum();
  }

  private static int printed(int character) {
    return switch (character) {
      case '"', '\\', '\b', '\f', '\n', '\r', '\t' -> 2;
      default ->
          character < ' '
              ? "\\u0000".length()
              : character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x1_0000 ? 3 : 4;
    };
  }

  /** Adds brackets and commas. */
  private static int enclosed(IntStream parts) {
    return Math.max(2, parts.reduce(1, (sum, part) -> sum + part + 1));
  }

  /** An object with its members in document order. */
  record Obj(Map<String, Json> members) implements Json {
    public static final Obj EMPTY = new Obj(Map.of());

    public Obj {
      members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    @Override
    public int size() {
      return enclosed(
          members.entrySet().stream()
              .mapToInt(member -> quoted(member.getKey()) + 1 + member.getValue().size()));
    }

    /**
     * Applies a merge patch: null removes, objects are merged, other values replace (<a
     * href="https://www.rfc-editor.org/rfc/rfc7396">RFC 7396</a>).
     */
    public Obj patched(Obj patch) {
      var merged = new LinkedHashMap<>(members);
      patch.members.forEach(
          (name, change) -> {
            switch (change) {
              case Null _ -> merged.remove(name);
              case Obj inner ->
                  merged.put(
                      name, (merged.get(name) instanceof Obj old ? old : EMPTY).patched(inner));
              case Array _, Str _, Num _, Bool _ -> merged.put(name, change);
            }
          });
      return new Obj(merged);
    }
  }

  record Array(List<Json> elements) implements Json {
    public Array {
      elements = List.copyOf(elements);
    }

    @Override
    public int size() {
      return enclosed(elements.stream().mapToInt(Json::size));
    }
  }

  record Str(String value) implements Json {
    @Override
    public int size() {
      return quoted(value);
    }
  }

  /** A number as in the document, without rounding. */
  record Num(String text) implements Json {
    @Override
    public int size() {
      return text.length();
    }
  }

  record Bool(boolean value) implements Json {
    @Override
    public int size() {
      return value ? 4 : 5;
    }
  }

  record Null() implements Json {
    @Override
    public int size() {
      return 4;
    }
  }
}
