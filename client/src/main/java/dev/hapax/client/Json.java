package dev.hapax.client;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads JSON, for {@link Codec#json(Class)} and inputs of operations. The client takes
 * Jackson 3, or else Jackson 2, if the application has one of them; pass another to {@link
 * Hapax.Builder#json}.
 */
public interface Json {

  /**
   * Returns the JSON of a value.
   *
   * @throws IllegalArgumentException if it has none
   */
  String write(@Nullable Object value);

  /**
   * Returns the value of this type; null for JSON null.
   *
   * @throws IllegalArgumentException if the JSON is of no such value
   */
  @Nullable Object read(String json, Type type);

  /**
   * Returns the JSON of Jackson 3, or else of Jackson 2 (2.18 or later), with all modules that are
   * found. Both write the same: dates and durations as ISO 8601, the other defaults of Jackson 2.
   * Members that the type does not have are ignored. Jackson 2 needs its modules for {@code
   * java.time} and {@code Optional}, such as {@code jackson-datatype-jsr310}.
   *
   * <p>Without both, each use throws {@link IllegalStateException}, and says what to add.
   */
  static Json detect() {
    return dev.hapax.client.internal.DetectedJson.INSTANCE;
  }
}
