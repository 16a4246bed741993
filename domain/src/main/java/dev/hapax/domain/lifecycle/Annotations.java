package dev.hapax.domain.lifecycle;

import dev.hapax.domain.json.Json;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Separates annotations, the members {@code description} and {@code x_…}, which are stored but have
 * no meaning to the server.
 */
final class Annotations {
  private static final String DESCRIPTION = "description";
  private static final String PREFIX = "x_";

  private final Map<String, Json.Obj> found = new HashMap<>();

  /**
   * Returns the object without its annotations, and keeps them.
   *
   * @param pointer of the object
   */
  Json.Obj without(String pointer, Json.Obj object) {
    var meaningful = new LinkedHashMap<String, Json>();
    var kept = new LinkedHashMap<String, Json>();
    object.members().forEach((name, value) -> (isOne(name) ? kept : meaningful).put(name, value));
    if (kept.isEmpty()) {
      return object;
    }
    found.put(pointer, new Json.Obj(kept));
    return new Json.Obj(meaningful);
  }

  private static boolean isOne(String name) {
    return name.equals(DESCRIPTION) || name.startsWith(PREFIX);
  }

  /** The annotations of all objects so far, by the pointer of the object. */
  Map<String, Json.Obj> found() {
    return found;
  }
}
