package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.v1.RunStatus;
import io.grpc.ManagedChannel;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("fault") // kills
@Tag("long")
class TraceIT {
  @RegisterExtension
  private static final OpenTelemetryExtension SDK = OpenTelemetryExtension.create();

  @Test
  @DisplayName(
      "given a run that a client started in a span, when its worker works after a restart of the"
          + " server, then the span of the step is in the trace of the client")
  void restart() throws Exception {
    var inHandler = new AtomicReference<>("");
    try (var deployment = Deployment.start()) {
      var channel = TestAccess.channel(deployment.target()).build();
      var hapax = Hapax.builder(Map.of()).channel(channel).connect();
      hapax.definitions().register(Definition.of("order", "1").task("charge", "payments"));
      var span = SDK.getOpenTelemetry().getTracer("test").spanBuilder("checkout").startSpan();
      String run;
      try (var _ = span.makeCurrent()) {
        run = hapax.runs().start("order").run().id();
      } finally {
        span.end();
      }
      deployment.killServers();
      channel.shutdownNow();

      var again = TestAccess.channel(deployment.add().awaitReady()).build();
      assertEnds(again, run, inHandler);
      // the SDK is that of the process: workers of another test have spans, too
      assertThat(SDK.getSpans())
          .filteredOn(each -> each.getKind() == SpanKind.CONSUMER)
          .filteredOn(each -> each.getTraceId().equals(span.getSpanContext().getTraceId()))
          .singleElement()
          .satisfies(
              step -> {
                assertThat(step.getName()).isEqualTo("order/charge");
                // the server has no SDK, so it has no span between
                assertThat(step.getParentSpanId()).isEqualTo(span.getSpanContext().getSpanId());
                assertThat(step.getSpanId()).isEqualTo(inHandler.get());
              });
    }
  }

  private static void assertEnds(
      ManagedChannel channel, String run, AtomicReference<String> inHandler) {
    var hapax = Hapax.builder(Map.of()).channel(channel).connect();
    try (var _ =
        hapax
            .worker()
            .queue(
                "payments",
                _ -> {
                  inHandler.set(Span.current().getSpanContext().getSpanId());
                  return null;
                })
            .start()) {
      assertThat(hapax.runs().await(run, Duration.ofSeconds(60)).status())
          .isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    } finally {
      channel.shutdownNow();
    }
  }
}
