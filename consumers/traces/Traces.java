import dev.hapax.client.Codec;
import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.client.Operation;
import dev.hapax.client.Value;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A client in a process with an SDK of OpenTelemetry: its calls send the current span, also on a
 * retry, and a step has a span below that of the start. With an argument, the process has a broken
 * OpenTelemetry instead: the steps must complete all the same.
 */
final class Traces {
  private static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();

  private Traces() {}

  public static void main(String[] args) throws Exception {
    var isBroken = args.length > 0;
    if (!isBroken) {
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(SPANS))
                  .build())
          .buildAndRegisterGlobal();
    }
    var sent = new SentHeaders();
    var hapax =
        Hapax.builder().channel(channel -> channel.intercept(sent)).streams(false).connect();
    var name = "traces-" + UUID.randomUUID();
    hapax
        .definitions()
        .register(Definition.of(name, "1").task("first", name).task("second", name));
    var worker =
        hapax
            .worker()
            .queue(
                name,
                task -> {
                  hapax.once(Operation.of(name, task.stepId()), Codec.text(), claim -> "paid");
                  return bytes(Span.current().getSpanContext().getSpanId());
                })
            .start();
    var checkout =
        isBroken
            ? Span.getInvalid()
            : GlobalOpenTelemetry.get().getTracer("test").spanBuilder("checkout").startSpan();
    String run;
    try (var scope = checkout.makeCurrent()) {
      run = hapax.runs().start(name).run().id();
    }
    checkout.end();
    var inSecond = hapax.runs().result(run, Codec.text(), Duration.ofSeconds(30));
    worker.close();
    hapax.close();
    if (!isBroken) {
      check(name, checkout, inSecond, sent);
    }
    System.out.println("worked on two steps");
  }

  /** There is no library for JSON. */
  private static Value bytes(String text) {
    return new Value.Bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void check(String name, Span checkout, String inSecond, SentHeaders sent) {
    var trace = checkout.getSpanContext().getTraceId();
    var steps =
        SPANS.getFinishedSpanItems().stream()
            .filter(each -> each.getKind() == SpanKind.CONSUMER)
            .toList();
    expect(
        List.of(name + "/first", name + "/second"),
        steps.stream().map(each -> each.getName()).toList());
    for (var step : steps) {
      expect(trace, step.getTraceId());
      expect(checkout.getSpanContext().getSpanId(), step.getParentSpanId());
    }
    expect(inSecond, steps.get(1).getSpanId());
    var start = header(checkout.getSpanContext());
    expect(List.of(start, start), sent.of("StartRun"));
    expect(
        steps.stream().map(each -> header(each.getSpanContext())).toList(),
        sent.of("BeginOperation"));
  }

  private static String header(SpanContext span) {
    return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-" + span.getTraceFlags().asHex();
  }

  private static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + " (was " + actual + ")");
    }
  }

  /** The header of each call; the first start fails. */
  private static final class SentHeaders implements ClientInterceptor {
    private static final Metadata.Key<String> KEY =
        Metadata.Key.of("traceparent", Metadata.ASCII_STRING_MARSHALLER);

    private record Sent(String method, String header) {}

    private final ConcurrentLinkedQueue<Sent> calls = new ConcurrentLinkedQueue<>();

    List<String> of(String method) {
      return calls.stream().filter(each -> each.method.equals(method)).map(Sent::header).toList();
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      var name = method.getBareMethodName();
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          calls.add(new Sent(name, headers.containsKey(KEY) ? headers.get(KEY) : ""));
          super.start(listener, headers);
        }

        @Override
        public void halfClose() {
          super.halfClose();
          if (name.equals("StartRun") && of(name).size() == 1) {
            super.cancel("the first try fails", null);
          }
        }
      };
    }
  }
}
