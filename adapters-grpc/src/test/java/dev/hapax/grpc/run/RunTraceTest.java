package dev.hapax.grpc.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.RunServiceGrpc.RunServiceBlockingStub;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunStreamRequest;
import dev.hapax.v1.StartRunStreamResponse;
import dev.hapax.v1.StartRunsRequest;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunTraceTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER_SPAN = "b7ad6b7169203331";
  private static final String CALLER = "00-" + TRACE + "-" + CALLER_SPAN + "-01";
  private static final String OTHER = "00-" + "1".repeat(32) + "-" + "2".repeat(16) + "-01";

  @RegisterExtension private final OpenTelemetryExtension sdk = OpenTelemetryExtension.create();
  private Service service = new Service();

  @BeforeEach
  void start() {
    service.close();
    service = new Service(sdk.getOpenTelemetry());
    service.define("order", Service.task("charge"));
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private RunServiceBlockingStub calling(String header) {
    var headers = new Metadata();
    headers.put(Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER), header);
    return service.runs().withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  private static StartRunRequest.Builder order() {
    return StartRunRequest.newBuilder().setDefinition("order").setIdempotencyKey("4711");
  }

  private SpanData onlySpan() {
    assertThat(sdk.getSpans()).hasSize(1);
    return sdk.getSpans().getFirst();
  }

  private void assertTraced(Run run) {
    var span = onlySpan();
    assertThat(span.getName()).isEqualTo("hapax.v1.RunService/StartRun");
    assertThat(span.getTraceId()).isEqualTo(TRACE);
    assertThat(span.getParentSpanId()).isEqualTo(CALLER_SPAN);
    assertThat(run.getTraceparent()).isEqualTo("00-%s-%s-01".formatted(TRACE, span.getSpanId()));
  }

  @Test
  @DisplayName("given a call with a span, then the task has that of the server, which is its child")
  void header() {
    var run = calling(CALLER).startRun(order().build()).getRun();
    assertTraced(run);
    var poll =
        PollTasksRequest.newBuilder()
            .setWorkerId("worker-1")
            .addQueues(Service.QUEUE)
            .setMaxTasks(1)
            .build();
    assertThat(service.worker().pollTasks(poll).getTasks(0).getRun().getTraceparent())
        .isEqualTo(run.getTraceparent());
  }

  @Test
  @DisplayName("given a span in the request and another one in the header, then the request counts")
  void field() {
    assertTraced(calling(OTHER).startRun(order().setTraceparent(CALLER).build()).getRun());
  }

  @Test
  @DisplayName("given an agent that made a span for the call, then the run has it, and no other")
  void agent() {
    var span =
        sdk.getOpenTelemetry()
            .getTracer("agent")
            .spanBuilder("hapax.v1.RunService/StartRun")
            .setParent(
                Context.root()
                    .with(
                        Span.wrap(
                            SpanContext.createFromRemoteParent(
                                TRACE,
                                CALLER_SPAN,
                                TraceFlags.getSampled(),
                                TraceState.getDefault()))))
            .startSpan();
    Run run;
    // the server of this test handles a call in the thread of its caller
    try (var _ = span.makeCurrent()) {
      run = calling(CALLER).startRun(order().build()).getRun();
    } finally {
      span.end();
    }
    assertTraced(run);
  }

  @Test
  @DisplayName("given starts in one request, then each has its span")
  void batch() {
    var request =
        StartRunsRequest.newBuilder()
            .addRequests(order().setTraceparent(CALLER))
            .addRequests(order().setIdempotencyKey("4712"));
    var results = service.runs().startRuns(request.build()).getResultsList();
    assertTraced(results.getFirst().getResponse().getRun());
    assertThat(results.getLast().getResponse().getRun().getTraceparent()).isEmpty();
  }

  @Test
  @DisplayName("given a start on a stream, then it has its span")
  void stream() {
    var started = new CompletableFuture<Run>();
    var client =
        RunServiceGrpc.newStub(service.channel)
            .startRunStream(
                new StreamObserver<StartRunStreamResponse>() {
                  @Override
                  public void onNext(StartRunStreamResponse response) {
                    response
                        .getAnswersList()
                        .forEach(answer -> started.complete(answer.getStartRun().getRun()));
                  }

                  @Override
                  public void onError(Throwable failure) {
                    started.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    var call = StartRunStreamRequest.Call.newBuilder().setCallId(1);
    client.onNext(
        StartRunStreamRequest.newBuilder()
            .addCalls(call.setStartRun(order().setTraceparent(CALLER)))
            .build());
    client.onCompleted();
    assertTraced(started.join());
  }

  @Test
  @DisplayName(
      "given a repeat with another span, then it is answered with the run as it was started")
  void repeat() {
    var first = calling(CALLER).startRun(order().build());
    var second = calling(OTHER).startRun(order().build());
    assertThat(second.getCreated()).isFalse();
    assertThat(second.getRun()).isEqualTo(first.getRun());
  }

  @Test
  @DisplayName("given no SDK, then the task has the span of the caller")
  void withoutSdk() {
    service.close();
    service = new Service(OpenTelemetry.noop());
    service.define("order", Service.task("charge"));
    assertThat(calling(CALLER).startRun(order().build()).getRun().getTraceparent())
        .isEqualTo(CALLER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        CALLER + "-more",
        "ff-" + TRACE
      })
  @DisplayName("given a header that is not valid, then the run is started without a span")
  void malformedHeader(String header) {
    assertThat(calling(header).startRun(order().build()).getRun().getTraceparent()).isEmpty();
    assertThat(sdk.getSpans()).isEqualTo(List.of());
  }

  @Test
  @DisplayName("given a field that is not valid, then the error names it, and nothing is started")
  void malformedField() {
    var request = order().setTraceparent(CALLER.toUpperCase(Locale.ROOT)).build();
    assertThatExceptionOfType(StatusRuntimeException.class)
        .isThrownBy(() -> service.runs().startRun(request))
        .withMessageContaining("INVALID_ARGUMENT")
        .withMessageContaining("traceparent");
    assertThat(service.runs().startRun(order().build()).getCreated()).isTrue();
  }
}
