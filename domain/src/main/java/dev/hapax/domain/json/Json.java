package dev.hapax.domain.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value. It is parsed and printed at the edges. */
public sealed interface Json {
  /** How many characters it has when it is printed without spaces, near enough to bound it with. */
  int size();

  /** Members in the order in which they were written. */
  record Obj(Map<String, Json> members) implements Json {
    public static final Obj EMPTY = new Obj(Map.of());

    public Obj {
      members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    @Override
    public int size() {
      return 2
          + members.entrySet().stream()
              .mapToInt(member -> member.getKey().length() + 4 + member.getValue().size())
              .sum();
    }

    /**
     * This object with a merge patch applied: null removes, objects are merged, all else replaces
     * (<a href="https://www.rfc-editor.org/rfc/rfc7396">RFC 7396</a>).
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
      return 1 + elements.size() + elements.stream().mapToInt(Json::size).sum();
    }
  }

  record Str(String value) implements Json {
    @Override
    public int size() {
      return value.length() + 2;
    }
  }

  /** A number as it was written: nothing is rounded. */
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
