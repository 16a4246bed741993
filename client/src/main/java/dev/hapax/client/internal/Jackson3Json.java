package dev.hapax.client.internal;

import dev.hapax.client.Json;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON of Jackson 3. Only {@link DetectedJson} loads this class. */
final class Jackson3Json implements Json {

  // as Jackson 2, so that what is stored stays readable when an application changes to 3
  private final JsonMapper mapper =
      JsonMapper.builderWithJackson2Defaults()
          .findAndAddModules(Jackson3Json.class.getClassLoader())
          .disable(
              DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
              DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS,
              DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  @Override
  public String write(@Nullable Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JacksonException failed) {
      throw new IllegalArgumentException(
          "the value cannot be written as JSON: " + failed.getOriginalMessage(), failed);
    }
  }

  @Override
  public @Nullable Object read(String json, Type type) {
    try {
      return mapper.readValue(json, mapper.constructType(type));
    } catch (JacksonException failed) {
      throw new IllegalArgumentException(
          "the JSON cannot be read as " + type.getTypeName() + ": " + failed.getOriginalMessage(),
          failed);
    }
  }
}
