package dev.hapax.grpc.server;

import dev.hapax.domain.ledger.Ledger;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.v1.IdentityServiceGrpc;
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.util.Set;

/**
 * Rejects calls at once while the ledger says that none can be answered, so that callers do not
 * wait for their deadlines.
 *
 * @param ledger knows of the outage
 */
public record OutageInterceptor(Ledger ledger) implements ServerInterceptor {
  /** The facts that the server answers from its own memory. */
  private static final Set<String> ANSWERED =
      Set.of(
          IdentityServiceGrpc.getWhoAmIMethod().getFullMethodName(),
          MonitoringServiceGrpc.getGetServerInfoMethod().getFullMethodName());

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    var outage = ledger.outage();
    if (outage.isEmpty() || ANSWERED.contains(call.getMethodDescriptor().getFullMethodName())) {
      return next.startCall(call, headers);
    }
    var error = GrpcErrors.of(outage.get());
    call.close(error.getStatus(), GrpcErrors.trailers(error));
    return new ServerCall.Listener<>() {};
  }
}
