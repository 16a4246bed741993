package dev.hapax.bootstrap.server.metrics;

import dev.hapax.grpc.call.WaitField;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Counts and times calls, by RPC and status code. */
final class CallMetrics implements ServerInterceptor {
  /** Services of gRPC itself, such as health and reflection. */
  private static final String GRPC_SERVICES = "grpc.";

  private static final double[] SECONDS = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
  };

  private final Counter calls;
  private final Histogram seconds;
  private final Histogram waitSeconds;
  private final Gauge underWay;

  CallMetrics(PrometheusRegistry registry) {
    calls =
        Counter.builder()
            .name("hapax_calls_total")
            .help("Calls that ended, by status code.")
            .labelNames("rpc", "code")
            .register(registry);
    seconds =
        histogram(
            registry,
            "hapax_call_seconds",
            "Duration of calls without a wait; streams are not included.");
    waitSeconds =
        histogram(
            registry,
            "hapax_waiting_call_seconds",
            "Duration of calls with a wait, including the wait.");
    underWay =
        Gauge.builder()
            .name("hapax_calls_under_way")
            .help("Calls in flight, including those that wait.")
            .labelNames("rpc")
            .register(registry);
  }

  private static Histogram histogram(PrometheusRegistry registry, String name, String help) {
    return Histogram.builder()
        .name(name)
        .help(help)
        .labelNames("rpc")
        .classicOnly()
        .classicUpperBounds(SECONDS)
        .register(registry);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var name = call.getMethodDescriptor().getFullMethodName();
    if (name.startsWith(GRPC_SERVICES)) {
      return next.startCall(call, headers);
    }
    var measured = new Measured<>(call);
    return new Listening<>(next.startCall(measured, headers), measured);
  }

  /** Returns the name without the package, which is the same for all services. */
  private static String rpc(MethodDescriptor<?, ?> method) {
    var name = method.getFullMethodName();
    return name.substring(name.lastIndexOf('.', name.indexOf('/')) + 1);
  }

  /** A call that is counted once, at its end. */
  private final class Measured<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private final String rpc;
    private final long begun = System.nanoTime();
    private boolean ended;
    private boolean waits;

    Measured(ServerCall<Q, A> delegate) {
      super(delegate);
      rpc = rpc(delegate.getMethodDescriptor());
      underWay.labelValues(rpc).inc();
    }

    @Override
    public void close(Status status, Metadata trailers) {
      ended(status.getCode());
      super.close(status, trailers);
    }

    /** Records the duration, except of streams, which last as long as the client wants. */
    private Optional<Histogram> histogram() {
      if (!getMethodDescriptor().getType().serverSendsOneMessage()) {
        return Optional.empty();
      }
      return Optional.of(waits ? waitSeconds : seconds);
    }

    private synchronized void requested(Q request) {
      waits = WaitField.mayWait(request);
    }

    private synchronized void ended(Status.Code code) {
      if (!ended) {
        ended = true;
        underWay.labelValues(rpc).dec();
        calls.labelValues(rpc, code.name()).inc();
        histogram()
            .ifPresent(
                histogram ->
                    histogram
                        .labelValues(rpc)
                        .observe(
                            (System.nanoTime() - begun) / (double) TimeUnit.SECONDS.toNanos(1)));
      }
    }
  }

  /** Counts a call that the client cancelled. */
  private static final class Listening<Q> extends SimpleForwardingServerCallListener<Q> {
    private final CallMetrics.Measured<Q, ?> call;

    Listening(ServerCall.Listener<Q> delegate, CallMetrics.Measured<Q, ?> call) {
      super(delegate);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      call.requested(message);
      super.onMessage(message);
    }

    @Override
    public void onCancel() {
      call.ended(Status.Code.CANCELLED);
      super.onCancel();
    }
  }
}
