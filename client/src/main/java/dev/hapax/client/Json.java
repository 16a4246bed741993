package dev.hapax.client;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads JSON, for {@link Codec#json(Class)} and inputs of operations. The client takes
 * Jackson 3, or else Jackson 2, if the application has one of them; pass another to {@link
 * Hapax.Builder#json}.
 */
public interface Json {

  /** Returns the JSON of a value. */
  String write(@Nullable Object value);

  /** Returns the value of this type; null for JSON null. */
  @Nullable Object read(String json, Type type);

  /**
   * Returns the JSON of Jackson 3, or else of Jackson 2, with all modules that are found. Without
   * both, each use fails, and says what to add.
   */
  static Json detect() {
    return dev.hapax.client.internal.DetectedJson.INSTANCE;
  }
}
