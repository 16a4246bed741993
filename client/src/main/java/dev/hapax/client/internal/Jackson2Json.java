package dev.hapax.client.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.hapax.client.Json;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** The JSON of Jackson 2. Only {@link DetectedJson} loads this class. */
final class Jackson2Json implements Json {

  private final JsonMapper mapper =
      JsonMapper.builder()
          .addModules(JsonMapper.Builder.findModules(Jackson2Json.class.getClassLoader()))
          .disable(
              SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
              SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(
              DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
              DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  @Override
  public String write(@Nullable Object value) {
    try {
      return mapper.writeValueAsString(value);
    } catch (JsonProcessingException failed) {
      throw new IllegalArgumentException(
          "the value cannot be written as JSON: " + failed.getOriginalMessage(), failed);
    }
  }

  @Override
  public @Nullable Object read(String json, Type type) {
    try {
      return mapper.readValue(json, mapper.constructType(type));
    } catch (JsonProcessingException failed) {
      throw new IllegalArgumentException(
          "the JSON cannot be read as " + type.getTypeName() + ": " + failed.getOriginalMessage(),
          failed);
    }
  }
}
