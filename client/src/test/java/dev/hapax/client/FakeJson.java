package dev.hapax.client;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** JSON of texts, numbers and booleans, for tests that need no library. */
final class FakeJson implements Json {

  @Override
  public String write(@Nullable Object value) {
    return value instanceof String text ? '"' + text + '"' : String.valueOf(value);
  }

  @Override
  public @Nullable Object read(String json, Type type) {
    if (type.equals(Integer.class)) {
      return Integer.valueOf(json);
    }
    if (!json.startsWith("\"")) {
      throw new IllegalArgumentException("not a text: " + json);
    }
    return json.substring(1, json.length() - 1);
  }
}
