package dev.hapax.grpc.security;

import com.google.protobuf.Message;
import dev.hapax.grpc.call.GrpcErrors;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** A unary call that writes a line of the audit log when it ends. */
final class AuditedCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private final AuthorizedCall access;
  private final Consumer<AuditLine> log;
  private final AtomicBoolean isLogged = new AtomicBoolean();

  // guarded by this
  private final Map<String, String> subject = new TreeMap<>();
  private String requestId = "";

  AuditedCall(ServerCall<Q, A> call, AuthorizedCall access, Consumer<AuditLine> log) {
    super(call);
    this.access = access;
    this.log = log;
  }

  synchronized void received(Q request) {
    // a request that could not be parsed names no subject
    if (request instanceof Message message) {
      subject.putAll(AuditSubject.of(message));
      requestId = AuditSubject.requestId(message);
    }
  }

  @Override
  public void sendMessage(A answer) {
    if (answer instanceof Message message) {
      synchronized (this) {
        subject.putAll(AuditSubject.of(message));
      }
    }
    super.sendMessage(answer);
  }

  @Override
  public void close(Status status, Metadata trailers) {
    log(status.getCode(), GrpcErrors.reason(trailers));
    super.close(status, trailers);
  }

  /** Logs a call that ended before it was answered: cancelled by its caller or the server. */
  void ended() {
    log(Status.Code.CANCELLED, Optional.empty());
  }

  private void log(Status.Code code, Optional<String> reason) {
    if (isLogged.compareAndSet(false, true)) {
      log.accept(line(code, reason));
    }
  }

  private synchronized AuditLine line(Status.Code code, Optional<String> reason) {
    return new AuditLine(
        access.caller().principal().toString(),
        access.caller().apiKeyId(),
        address(),
        getMethodDescriptor().getFullMethodName(),
        access.workspaces(),
        new TreeMap<>(subject),
        requestId,
        code,
        reason,
        OptionalLong.empty());
  }

  private String address() {
    var peer = getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    if (!(peer instanceof InetSocketAddress inet)) {
      return String.valueOf(peer);
    }
    var host = inet.getHostString();
    // as in addresses of the web, so that the port of an IPv6 address can be told from its end
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + inet.getPort();
  }
}
