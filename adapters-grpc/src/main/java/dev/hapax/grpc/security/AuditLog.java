package dev.hapax.grpc.security;

import dev.hapax.domain.security.Permission;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.CallMeter;
import dev.hapax.grpc.call.StoppableCall;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.trace.TraceHeader;
import dev.hapax.grpc.trace.TracedLog;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each call that operates, defines or administers: one line of JSON when it ends, also if it
 * was denied. As an interceptor, it serves a server that does not authenticate.
 */
public final class AuditLog implements AccessInterceptor {
  private static final Set<Permission> AUDITED =
      EnumSet.of(Permission.OPERATE, Permission.DEFINE, Permission.ADMINISTER);

  private static final Logger LOG = LoggerFactory.getLogger("hapax.audit");

  private final InstantSource clock;

  public AuditLog(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public boolean authenticates() {
    return false;
  }

  @Override
  public void observe(LimitObserver observer) {
    // refuses no call
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (MethodRules.of(call.getMethodDescriptor()).isEmpty()) {
      return next.startCall(call, headers);
    }
    var access = new AuthorizedCall(CallAccess.current().caller(), CallMeter.current());
    var context = Context.current().withValue(CallAccess.KEY, access);
    return observe(
        call,
        access,
        observed -> {
          var stoppable = StoppableCall.of(observed);
          return new AuthorizingListener<>(
              Contexts.interceptCall(context, stoppable, headers, next),
              stoppable,
              access,
              () -> {});
        });
  }

  /** Starts a call, and logs it when it ends if it is to be audited. */
  <Q, A> ServerCall.Listener<Q> observe(
      ServerCall<Q, A> call,
      AuthorizedCall access,
      Function<ServerCall<Q, A>, ServerCall.Listener<Q>> start) {
    if (MethodRules.of(call.getMethodDescriptor()).filter(AuditLog::isAudited).isEmpty()) {
      return start.apply(call);
    }
    var trace = TraceHeader.current();
    var audited = new AuditedCall<>(call, access, line -> TracedLog.write(trace, () -> log(line)));
    return new AuditedListener<>(start.apply(audited), audited);
  }

  static boolean isAudited(MethodRule rule) {
    return rule.permission().filter(AUDITED::contains).isPresent();
  }

  void log(AuditLine line) {
    LOG.info("{}", line.json(clock.instant()));
  }

  /** Passes the request of a call, and its end. */
  private static final class AuditedListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final AuditedCall<Q, ?> call;

    AuditedListener(ServerCall.Listener<Q> listener, AuditedCall<Q, ?> call) {
      super(listener);
      this.call = call;
    }

    @Override
    public void onMessage(Q request) {
      call.received(request);
      super.onMessage(request);
    }

    @Override
    public void onCancel() {
      call.ended();
      super.onCancel();
    }

    @Override
    public void onComplete() {
      call.ended();
      super.onComplete();
    }
  }
}
