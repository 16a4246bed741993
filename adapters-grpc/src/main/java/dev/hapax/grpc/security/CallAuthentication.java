package dev.hapax.grpc.security;

import com.google.rpc.Code;
import dev.hapax.application.security.Authenticator;
import dev.hapax.application.security.Authenticator.Recognition;
import dev.hapax.domain.security.Authentication;
import dev.hapax.domain.security.Authentication.Authenticated;
import dev.hapax.domain.security.Authentication.Reason;
import dev.hapax.domain.security.Authentication.Refused;
import dev.hapax.domain.security.Principal;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.CallMeter;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.call.StoppableCall;
import dev.hapax.grpc.quota.Connection;
import dev.hapax.grpc.quota.LimitObserver;
import dev.hapax.grpc.quota.RefusedCallers;
import dev.hapax.grpc.quota.SignatureLimit;
import dev.hapax.v1.ErrorReason;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.StatusRuntimeException;
import java.net.SocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Authenticates each call before its request is read, and authorizes each request before it is
 * handled.
 */
public final class CallAuthentication implements AccessInterceptor {
  /** A caller without credentials, for methods that need none. */
  static final Authenticated ANONYMOUS =
      new Authenticated(
          new Principal(Principal.Kind.LOCAL, "anonymous", List.of()),
          Optional.empty(),
          Instant.MAX);

  private static final Duration RETRY_UNVERIFIED = Duration.ofSeconds(1);

  private final Authenticator authenticator;
  private final OpenCalls open;
  private final AuditLog audit;
  private final SignatureLimit signatures;
  private final RefusedCallers refused;
  private final RefusedCallerAudit refusedAudit;

  /**
   * Makes an interceptor.
   *
   * @param nanoTime a clock that only rises, such as {@link System#nanoTime}
   */
  public CallAuthentication(
      Authenticator authenticator, OpenCalls open, AuditLog audit, LongSupplier nanoTime) {
    this.signatures = new SignatureLimit(nanoTime);
    this.refused = new RefusedCallers(nanoTime);
    this.refusedAudit = new RefusedCallerAudit(audit::log, nanoTime);
    this.authenticator = authenticator;
    this.open = open;
    this.audit = audit;
  }

  @Override
  public boolean authenticates() {
    return true;
  }

  @Override
  public void observe(LimitObserver observer) {
    refused.observe(observer);
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var caller = authenticate(call, headers);
    if (caller.isDone()) {
      return start(caller.join(), call, headers, next);
    }
    var stoppable = StoppableCall.of(call);
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
    if (bearer.isMalformed()) {
      return CompletableFuture.completedFuture(new Refused(Reason.MISSING));
    }
    var credentials = CallCredentialsReader.read(bearer, call.getAttributes());
    return switch (authenticator.recognize(credentials)) {
      case Recognition.Known(var found) -> CompletableFuture.completedFuture(found);
      case Recognition.Unverified token -> verify(token, address(call));
    };
  }

  private CompletableFuture<Authentication> verify(
      Recognition.Unverified token, Optional<SocketAddress> from) {
    if (!from.map(signatures::mayVerify).orElse(true)) {
      return CompletableFuture.completedFuture(new Refused(Reason.UNVERIFIED));
    }
    return token
        .verify()
        .whenComplete(
            (found, _) -> {
              if (found instanceof Refused(var reason) && reason == Reason.SIGNATURE) {
                from.ifPresent(signatures::wrong);
              }
            });
  }

  /** Returns where a call comes from; empty in the process itself. */
  private static Optional<SocketAddress> address(ServerCall<?, ?> call) {
    return Optional.ofNullable(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  private <Q, A> ServerCall.Listener<Q> start(
      Authentication found, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    return switch (found) {
      case Refused(var reason) when presentedNothing(reason) && isPublic(call) ->
          start(
              new AuthorizedCall(ANONYMOUS, CallMeter.current()),
              StoppableCall.of(call),
              headers,
              next);
      case Refused(var reason) -> {
        refused.add(address(call), reason.name().toLowerCase(Locale.ROOT));
        refusedAudit.add(address(call), call.getMethodDescriptor(), reason);
        yield refuse(call, reason == Reason.UNVERIFIED ? unverified() : unauthenticated(reason));
      }
      case Authenticated caller -> {
        var access = new AuthorizedCall(caller, CallMeter.current());
        yield audit.observe(
            call, access, observed -> start(access, StoppableCall.of(observed), headers, next));
      }
    };
  }

  private <Q, A> ServerCall.Listener<Q> start(
      AuthorizedCall access,
      StoppableCall<Q, A> call,
      Metadata headers,
      ServerCallHandler<Q, A> next) {
    if (!access.caller().equals(ANONYMOUS)) {
      Connection.of(call).ifPresent(Connection::authenticated);
    }
    try {
      access.begin(call.getMethodDescriptor());
    } catch (StatusRuntimeException e) {
      return refuse(call, e);
    }
    var context = Context.current().withValue(CallAccess.KEY, access);
    open.add(call, access.caller());
    try {
      return new AuthorizingListener<>(
          Contexts.interceptCall(context, call, headers, next),
          call,
          access,
          () -> open.remove(call));
    } catch (RuntimeException e) {
      open.remove(call);
      throw e;
    }
  }

  /** Whether the call itself has no credentials; a certificate comes with the connection. */
  private static boolean presentedNothing(Reason reason) {
    return switch (reason) {
      case MISSING, CERTIFICATE -> true;
      case API_KEY, TOKEN, SIGNATURE, UNVERIFIED -> false;
    };
  }

  private static boolean isPublic(ServerCall<?, ?> call) {
    return MethodRules.isPublic(call.getMethodDescriptor().getFullMethodName());
  }

  static StatusRuntimeException unauthenticated(Reason reason) {
    return GrpcErrors.error(
        Code.UNAUTHENTICATED,
        ErrorReason.ERROR_REASON_UNAUTHENTICATED,
        switch (reason) {
          case MISSING ->
              "no credentials; send 'authorization: Bearer <API key>', or use a client certificate";
          case API_KEY -> "the API key is not accepted; `hapax key list` shows the keys that are";
          case CERTIFICATE -> "the client certificate has expired, or maps to no principal";
          case TOKEN, SIGNATURE ->
              "the token is not accepted: expired, or of another issuer or audience";
          case UNVERIFIED -> "the token was not verified";
        },
        Map.of());
  }

  private static StatusRuntimeException unverified() {
    return GrpcErrors.rateLimited(
        String.format(
            Locale.ROOT,
            "the token was not verified: more than %d tokens a second of this address have wrong signatures; retry after %d ms",
            SignatureLimit.PER_SECOND,
            RETRY_UNVERIFIED.toMillis()),
        Map.of("limit", "wrong-signatures-per-address"),
        RETRY_UNVERIFIED);
  }

  private static <Q> ServerCall.Listener<Q> refuse(
      ServerCall<Q, ?> call, StatusRuntimeException why) {
    call.close(why.getStatus(), GrpcErrors.trailers(why));
    return new ServerCall.Listener<>() {};
  }
}
