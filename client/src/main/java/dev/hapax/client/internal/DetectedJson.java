package dev.hapax.client.internal;

import dev.hapax.client.Json;
import java.lang.reflect.Type;
import java.util.ServiceConfigurationError;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The JSON of the Jackson on the class path: of 3, or else of 2. */
public final class DetectedJson implements Json {

  private static final Logger log = LoggerFactory.getLogger(DetectedJson.class);

  private static final String JACKSON_3 = "tools.jackson.databind.json.JsonMapper";
  private static final String JACKSON_2 = "com.fasterxml.jackson.databind.ObjectMapper";

  /** The JSON of this process. */
  public static final Json INSTANCE = new DetectedJson();

  private DetectedJson() {}

  /** Found at the first use, since an application may need no JSON, and a mapper takes time. */
  private static final class Found {
    static final Json JSON = detect();
  }

  private static Json detect() {
    // no method references: they would load the adapter here
    Json json = find(JACKSON_3, () -> new Jackson3Json());
    if (json == null) {
      json = find(JACKSON_2, () -> new Jackson2Json());
    }
    return json == null ? new NoJson() : json;
  }

  /** Returns null if the library is missing, or has not what this client needs. */
  private static @Nullable Json find(String mapper, Supplier<Json> adapter) {
    try {
      Class.forName(mapper, false, DetectedJson.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError none) {
      return null;
    }
    try {
      return adapter.get();
    } catch (LinkageError | ServiceConfigurationError broken) {
      log.warn("{} does not fit hapax-client, which does not use it", mapper, broken);
      return null;
    }
  }

  @Override
  public String write(@Nullable Object value) {
    return Found.JSON.write(value);
  }

  @Override
  public @Nullable Object read(String json, Type type) {
    return Found.JSON.read(json, type);
  }

  /** Fails, and says what to add. */
  private static final class NoJson implements Json {

    @Override
    public String write(@Nullable Object value) {
      throw missing();
    }

    @Override
    public @Nullable Object read(String json, Type type) {
      throw missing();
    }

    private static IllegalStateException missing() {
      return new IllegalStateException(
          "there is no library for JSON on the class path; add tools.jackson.core:jackson-databind"
              + " or com.fasterxml.jackson.core:jackson-databind, or pass one to"
              + " Hapax.Builder.json");
    }
  }
}
