package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.acceptance.Deployment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The traces of each kit: a run is in the trace of its start. */
@Tag("long")
class KitTraceIT {
  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = TRACE + "-00f067aa0ba902b7-01";

  @TempDir private Path folder = Path.of("");

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "JAVA, span",
    "PYTHON, traceparent",
    "TYPESCRIPT, traceparent",
    "TYPESCRIPT, span",
    "GO, traceparent",
    "GO, span"
  })
  @DisplayName("given a run that is started in a span, then its step is in the trace of that span")
  void trace(Kit kit, String start) throws IOException {
    try (var scene = new KitScene(kit, Deployment.shared(), folder);
        var worker = scene.worker("[{\"return\": 1}]");
        var caller = scene.program()) {
      scene.define(Duration.ofSeconds(30));
      caller.ask("start", "\"definition\": \"case\", \"%s\": \"%s\"".formatted(start, SPAN));
      var begins = worker.event("begins");
      assertThat(KitJson.text(begins, "traceparent")).isEqualTo(SPAN);
      var span = KitJson.text(begins, "span");
      switch (kit) {
        case PYTHON -> assertThat(span).isEmpty();
        // without an SDK in its process, the Java client makes no span: TraceIT has one
        case JAVA -> assertThat(span).isEqualTo(SPAN);
        case TYPESCRIPT, GO -> assertThat(span).startsWith(TRACE).isNotEqualTo(SPAN);
      }
    }
  }
}
