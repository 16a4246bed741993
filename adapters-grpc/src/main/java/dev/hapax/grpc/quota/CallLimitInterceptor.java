package dev.hapax.grpc.quota;

import dev.hapax.grpc.call.CallMeter;
import dev.hapax.grpc.call.GrpcErrors;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Gives each call a meter, which applies the limits of principals and of workspaces. Authentication
 * and authorization, which come later, tell the meter whom and what to count.
 */
public final class CallLimitInterceptor implements ServerInterceptor {
  /** Set for a call that came by HTTP. */
  public static final Attributes.Key<Boolean> BY_HTTP = Attributes.Key.create("hapax-by-http");

  /** A quarter of the calls that the HTTP port holds open, from all addresses of the caller. */
  static final int HTTP_CALLS_OF_PRINCIPAL = 256;

  private static final int HTTP_CALLS_OF_WORKSPACE = 2 * HTTP_CALLS_OF_PRINCIPAL;

  final RateLimit callsOfPrincipal;
  final RateLimit callsOfWorkspace;
  final OpenCallQuota watchesOfPrincipal;
  final OpenCallQuota watchesOfWorkspace;
  final OpenCallQuota waitsOfPrincipal;
  final OpenCallQuota httpCallsOfPrincipal = new OpenCallQuota(HTTP_CALLS_OF_PRINCIPAL);
  final OpenCallQuota httpCallsOfWorkspace = new OpenCallQuota(HTTP_CALLS_OF_WORKSPACE);
  private volatile LimitObserver observer = LimitObserver.NONE;

  /** Makes limits that no call has used. */
  public CallLimitInterceptor(CallerLimits limits, LongSupplier nanoTime) {
    this.callsOfPrincipal = new RateLimit(limits.callsPerPrincipal(), nanoTime);
    this.callsOfWorkspace = new RateLimit(limits.callsPerWorkspace(), nanoTime);
    this.watchesOfPrincipal = new OpenCallQuota(limits.watchesPerPrincipal());
    this.watchesOfWorkspace = new OpenCallQuota(limits.watchesPerWorkspace());
    this.waitsOfPrincipal = new OpenCallQuota(limits.waitsPerPrincipal());
  }

  public void observe(LimitObserver refused) {
    observer = refused;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var metered = new LimitedCall<>(call, this);
    var context = Context.current().withValue(CallMeter.KEY, metered);
    return new MeteredListener<>(Contexts.interceptCall(context, metered, headers, next), metered);
  }

  /**
   * The error of a call above a limit.
   *
   * @param workspace empty = the limit is that of a principal
   * @param limit the name of the setting
   */
  StatusRuntimeException refuse(String workspace, String limit, String what, Duration retryAfter) {
    observer.refusedCall(workspace, limit);
    return GrpcErrors.rateLimited(
        String.format(Locale.ROOT, "%s; retry after %d ms", what, retryAfter.toMillis()),
        Map.of("limit", limit, "workspace", workspace),
        retryAfter);
  }

  /** Tells the meter of each message, and of the end of the call. */
  private static final class MeteredListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final LimitedCall<Q, ?> call;

    MeteredListener(ServerCall.Listener<Q> delegate, LimitedCall<Q, ?> call) {
      super(delegate);
      this.call = call;
    }

    @Override
    public void onMessage(Q message) {
      call.received();
      super.onMessage(message);
    }

    @Override
    public void onComplete() {
      call.end();
      super.onComplete();
    }

    @Override
    public void onCancel() {
      call.end();
      super.onCancel();
    }
  }
}
