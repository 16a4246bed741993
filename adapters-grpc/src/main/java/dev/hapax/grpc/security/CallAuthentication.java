package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import com.google.rpc.Code;
import dev.hapax.application.security.Authenticator;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.Errors;
import dev.hapax.grpc.call.StoppableCall;
import dev.hapax.grpc.limit.Connection;
import dev.hapax.grpc.limit.FailedAttempts;
import dev.hapax.v1.ErrorReason;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthGrpc;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Authenticates each call before its request is read, and authorizes each request before it is
 * handled. Health checks need no credentials.
 */
public final class CallAuthentication implements ServerInterceptor {
  private final Authenticator authenticator;
  private final OpenCalls open;
  private final AuditLog audit;
  private final MethodRules rules = MethodRules.all();

  /** Logs who fails, once a second for all of them. */
  private final FailedAttempts attempts = new FailedAttempts(System::nanoTime);

  public CallAuthentication(Authenticator authenticator, OpenCalls open, AuditLog audit) {
    this.authenticator = authenticator;
    this.open = open;
    this.audit = audit;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (HealthGrpc.SERVICE_NAME.equals(call.getMethodDescriptor().getServiceName())) {
      return next.startCall(call, headers);
    }
    var caller = authenticate(call, headers);
    if (caller.isDone()) {
      return start(caller.join(), call, headers, next);
    }
    var stoppable = new StoppableCall<>(call);
    var parked = new ParkedListener<>(stoppable);
    // with its deadline, and not the context of the thread that resumes it
    var context = Context.current();
    var _ =
        caller.thenAccept(
            found ->
                context.run(() -> parked.resume(() -> start(found, stoppable, headers, next))));
    return parked;
  }

  private CompletableFuture<Authentication> authenticate(ServerCall<?, ?> call, Metadata headers) {
    var bearer = BearerHeader.read(headers);
    return bearer.isMalformed()
        ? CompletableFuture.completedFuture(new Refused(Reason.TOKEN))
        : authenticator
            .authenticate(CallCredentialsReader.read(bearer, call.getAttributes()))
            .exceptionally(_ -> new Refused(Reason.TOKEN));
  }

  private <Q, A> ServerCall.Listener<Q> start(
      Authentication found, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return switch (found) {
      case Refused(var reason) -> {
        var address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (address != null) {
          attempts.failed(address, reason.name().toLowerCase(Locale.ROOT));
        }
        yield refuse(call, unauthenticated(reason));
      }
      case Authenticated caller ->
          audit.observe(
              call, caller, observed -> start(caller, StoppableCall.of(observed), headers, next));
    };
  }

  private <Q, A> ServerCall.Listener<Q> start(
      Authenticated caller,
      StoppableCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> next) {
    Connection.of(call).ifPresent(Connection::authenticated);
    var access = new AuthorizedCall(rules, caller);
    var rule = rules.of(call.getMethodDescriptor());
    if (rule.isEmpty() || !rule.get().admits(caller.principal())) {
      return refuse(call, access.denied(rule.flatMap(MethodRule::permission)));
    }
    var context = Context.current().withValue(CallAccess.KEY, access);
    open.add(call, caller);
    try {
      return new AuthorizingListener<>(
          Contexts.interceptCall(context, call, headers, next), call, access);
    } catch (RuntimeException e) {
      open.remove(call);
      throw e;
    }
  }

  private static StatusRuntimeException unauthenticated(Reason reason) {
    return Errors.error(
        Code.UNAUTHENTICATED,
        ErrorReason.ERROR_REASON_UNAUTHENTICATED,
        switch (reason) {
          case MISSING ->
              "no credentials; send 'authorization: Bearer <API key>', or use a client certificate";
          case API_KEY -> "the API key is not accepted; `hapax key list` shows the keys that are";
          case CERTIFICATE -> "the client certificate has expired, or maps to no principal";
          case TOKEN -> "the token is not accepted: expired, or of another issuer or audience";
        },
        Map.of());
  }

  private static <Q> ServerCall.Listener<Q> refuse(
      ServerCall<Q, ?> call, StatusRuntimeException why) {
    call.close(why.getStatus(), Errors.trailers(why));
    return new ServerCall.Listener<>() {};
  }

  /** Drops the requests of a call after one was denied; a stopped call is cancelled. */
  private final class AuthorizingListener<Q> extends SimpleForwardingServerCallListener<Q> {
    private final StoppableCall<Q, ?> call;
    private final CallAccess access;

    AuthorizingListener(
        ServerCall.Listener<Q> listener, StoppableCall<Q, ?> call, CallAccess access) {
      super(listener);
      this.call = call;
      this.access = access;
    }

    @Override
    public void onMessage(Q request) {
      // a request that could not be parsed is rejected further in
      if (!call.isStopped() && request instanceof Message message) {
        try {
          access.require(message);
        } catch (StatusRuntimeException e) {
          call.stop(e);
        }
      }
      if (!call.isStopped()) {
        super.onMessage(request);
      }
    }

    @Override
    public void onHalfClose() {
      if (!call.isStopped()) {
        super.onHalfClose();
      }
    }

    @Override
    public void onComplete() {
      open.remove(call);
      if (call.isStopped()) {
        // or its handler would go on to wait, and get a grant that no one receives
        super.onCancel();
      } else {
        super.onComplete();
      }
    }

    @Override
    public void onCancel() {
      open.remove(call);
      super.onCancel();
    }
  }
}
