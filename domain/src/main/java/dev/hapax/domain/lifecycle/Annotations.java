package dev.hapax.domain.lifecycle;

import dev.hapax.domain.json.Json;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Members that are kept as they are and say nothing: {@code description} and {@code x_…}. */
final class Annotations {
  private static final String DESCRIPTION = "description";
  private static final String PREFIX = "x_";

  private final Map<String, Json.Obj> found = new HashMap<>();

  /**
   * The object without them.
   *
   * @param pointer where it is
   */
  Json.Obj without(String pointer, Json.Obj object) {
    var said = new LinkedHashMap<String, Json>();
    var kept = new LinkedHashMap<String, Json>();
    object.members().forEach((name, value) -> (isOne(name) ? kept : said).put(name, value));
    if (kept.isEmpty()) {
      return object;
    }
    found.put(pointer, new Json.Obj(kept));
    return new Json.Obj(said);
  }

  private static boolean isOne(String name) {
    return name.equals(DESCRIPTION) || name.startsWith(PREFIX);
  }

  /** Those of all objects so far, by the pointer of the object. */
  Map<String, Json.Obj> found() {
    return found;
  }
}
