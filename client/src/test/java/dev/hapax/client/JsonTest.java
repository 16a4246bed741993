package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.core.Appender;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.protobuf.Parser;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.core.TokenStreamFactory;

/** The JSON that applications have, each with its own class path. */
@Tag("J8")
class JsonTest {

  private static final List<Class<?>> CLIENT =
      List.of(
          Json.class,
          JsonProbe.class,
          Parser.class,
          LoggerFactory.class,
          Logger.class,
          Appender.class);
  private static final List<Class<?>> JACKSON_2 =
      List.of(
          ObjectMapper.class,
          JsonFactory.class,
          JsonProperty.class,
          JavaTimeModule.class,
          Jdk8Module.class);
  private static final List<Class<?>> JACKSON_3 =
      List.of(
          tools.jackson.databind.ObjectMapper.class, TokenStreamFactory.class, JsonProperty.class);

  private static final String ORDER =
      "{'id':'4711','at':'2026-11-29T03:15:56.123456Z','day':'2026-11-29',"
          + "'local':'2026-11-29T03:15:56+02:00','within':'PT1M30S','note':'fragile','none':null,"
          + "'state':'PAID','items':[{'sku':'a','price':1.50}],'missing':null}";

  private static URL jar(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  /** An application with the client and these libraries. */
  @SafeVarargs
  private static URLClassLoader application(List<Class<?>>... libraries) {
    URL[] jars =
        Stream.concat(CLIENT.stream(), Stream.of(libraries).flatMap(List::stream))
            .map(JsonTest::jar)
            .distinct()
            .toArray(URL[]::new);
    return new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
  }

  private static Object probe(ClassLoader application) throws ReflectiveOperationException {
    return application.loadClass(JsonProbe.class.getName()).getConstructor().newInstance();
  }

  @SafeVarargs
  private static String order(List<Class<?>>... libraries) throws Exception {
    try (URLClassLoader application = application(libraries)) {
      return ((String) ((Callable<?>) probe(application)).call()).replace('"', '\'');
    }
  }

  @SuppressWarnings("unchecked") // a probe is such a function
  @SafeVarargs
  private static String message(String json, List<Class<?>>... libraries) throws Exception {
    try (URLClassLoader application = application(libraries)) {
      return ((Function<String, String>) probe(application)).apply(json);
    }
  }

  @Test
  @DisplayName("given Jackson 2 alone, then records, times, optionals and generics are read back")
  void jackson2() throws Exception {
    assertThat(order(JACKSON_2)).isEqualTo(ORDER);
  }

  @Test
  @DisplayName("given Jackson 3 alone, then what it writes is the same")
  void jackson3() throws Exception {
    assertThat(order(JACKSON_3)).isEqualTo(ORDER);
  }

  @Test
  @DisplayName("given both, then Jackson 3 is used")
  void both() throws Exception {
    assertThat(order(JACKSON_2, JACKSON_3)).isEqualTo(ORDER);
    try (URLClassLoader application = application(JACKSON_2, JACKSON_3)) {
      Class<?> adapter = application.loadClass("dev.hapax.client.internal.DetectedJson$Found");
      var found = adapter.getDeclaredField("JSON");
      found.setAccessible(true);
      assertThat(found.get(null).getClass().getSimpleName()).isEqualTo("Jackson3Json");
    }
  }

  @Test
  @DisplayName("given neither, then a use says what to add, and other codecs work")
  void none() throws Exception {
    assertThat(message("{}"))
        .isEqualTo(
            "IllegalStateException: there is no library for JSON on the class path; add"
                + " tools.jackson.core:jackson-databind or"
                + " com.fasterxml.jackson.core:jackson-databind, or pass one to"
                + " Hapax.Builder.json");
    assertThat(message("")).startsWith("IllegalStateException: there is no library for JSON");
  }

  @Test
  @DisplayName("given a Jackson 3 without its core, then Jackson 2 is used instead")
  void broken() throws Exception {
    List<Class<?>> partial = List.of(tools.jackson.databind.ObjectMapper.class);

    assertThat(order(partial, JACKSON_2)).isEqualTo(ORDER);
    assertThat(message("{}", partial)).startsWith("IllegalStateException: there is no library");
  }

  @Test
  @DisplayName("given JSON of another shape or a value without JSON, then the exception says so")
  void refused() throws Exception {
    for (List<Class<?>> library : List.of(JACKSON_2, JACKSON_3)) {
      assertThat(message("{\"price\":\"much\"}", library))
          .startsWith(
              "IllegalArgumentException: the JSON cannot be read as"
                  + " dev.hapax.client.JsonProbe$Item: ");
      assertThat(message("", library))
          .startsWith("IllegalArgumentException: the value cannot be written as JSON: ");
    }
  }
}
