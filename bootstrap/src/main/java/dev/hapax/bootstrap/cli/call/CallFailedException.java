package dev.hapax.bootstrap.cli.call;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.protobuf.StatusProto;
import java.net.UnknownHostException;
import java.util.Objects;
import picocli.CommandLine.ExitCode;

/** A call failed; has a message for the user and an exit code. */
public final class CallFailedException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int NOT_FOUND = 3;

  private final int exitCode;

  private CallFailedException(String message, int exitCode, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  static CallFailedException of(StatusRuntimeException failure, String server) {
    var status = failure.getStatus();
    var text = Objects.requireNonNullElse(status.getDescription(), status.getCode().toString());
    return switch (status.getCode()) {
      case NOT_FOUND -> new CallFailedException(text, NOT_FOUND, failure);
      case INVALID_ARGUMENT -> new CallFailedException(text, ExitCode.USAGE, failure);
      case DEADLINE_EXCEEDED ->
          failed("the server at " + server + " did not answer in time", failure);
      case UNAVAILABLE ->
          failed(isFromServer(failure) ? text : unreachable(failure, server), failure);
      case UNIMPLEMENTED ->
          failed(
              "the server at " + server + " is not a hapax server, or is an older version",
              failure);
      default ->
          failed(isFromServer(failure) ? text : transportFailure(text, failure, server), failure);
    };
  }

  private static CallFailedException failed(String message, Throwable cause) {
    return new CallFailedException(message, ExitCode.SOFTWARE, cause);
  }

  /**
   * Returns whether the status comes from the server, which adds details, or from the transport.
   */
  private static boolean isFromServer(StatusRuntimeException failure) {
    var status = StatusProto.fromThrowable(failure);
    return status != null && status.getDetailsCount() > 0;
  }

  private static String unreachable(StatusRuntimeException failure, String server) {
    if (hasCause(failure, UnknownHostException.class)) {
      return "cannot resolve the host of " + server + ": check --server or HAPAX_SERVER";
    }
    if (isOtherProtocol(failure)) {
      return otherProtocol(server);
    }
    return "cannot connect to a hapax server at "
        + server
        + ": start one with `hapax serve`, or set --server or HAPAX_SERVER";
  }

  private static String transportFailure(
      String text, StatusRuntimeException failure, String server) {
    return isOtherProtocol(failure) ? otherProtocol(server) : text;
  }

  private static boolean isOtherProtocol(StatusRuntimeException failure) {
    return hasCause(failure, Http2Exception.class);
  }

  private static String otherProtocol(String server) {
    return "the server at "
        + server
        + " does not speak gRPC: --server needs the address of --listen, not that of"
        + " --metrics-listen or of another program";
  }

  private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
    for (var cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  /** Returns this exception with another line of advice. */
  CallFailedException withAdvice(String advice) {
    return new CallFailedException(getMessage() + "\n" + advice, exitCode, this);
  }

  /** Returns whether the server may have executed the call. */
  boolean isInDoubt() {
    return getCause() instanceof StatusRuntimeException failure
        && (failure.getStatus().getCode() == Status.Code.UNAVAILABLE
            || failure.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED);
  }

  public int exitCode() {
    return exitCode;
  }
}
