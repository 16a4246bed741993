package dev.hapax.bootstrap.cli.call;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.protobuf.StatusProto;
import java.net.UnknownHostException;
import java.util.Objects;
import picocli.CommandLine.ExitCode;

/** A call of the server failed: one sentence that says why, and the exit code it means. */
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
      case DEADLINE_EXCEEDED -> failed("the server on " + server + " does not answer", failure);
      case UNAVAILABLE ->
          failed(isOfTheServer(failure) ? text : unreachable(failure, server), failure);
      case UNIMPLEMENTED -> failed("what answers on " + server + " is no hapax server", failure);
      default -> failed(isOfTheServer(failure) ? text : unspoken(text, failure, server), failure);
    };
  }

  private static CallFailedException failed(String message, Throwable cause) {
    return new CallFailedException(message, ExitCode.SOFTWARE, cause);
  }

  /** The server says why in details; the transport has none. */
  private static boolean isOfTheServer(StatusRuntimeException failure) {
    var status = StatusProto.fromThrowable(failure);
    return status != null && status.getDetailsCount() > 0;
  }

  private static String unreachable(StatusRuntimeException failure, String server) {
    if (hasCause(failure, UnknownHostException.class)) {
      return "the host of " + server + " does not resolve: check --server or HAPAX_SERVER";
    }
    if (isOtherProtocol(failure)) {
      return otherProtocol(server);
    }
    return "no hapax server answers on "
        + server
        + ": start one with `hapax serve`, or name another with --server or HAPAX_SERVER";
  }

  private static String unspoken(String text, StatusRuntimeException failure, String server) {
    return isOtherProtocol(failure) ? otherProtocol(server) : text;
  }

  private static boolean isOtherProtocol(StatusRuntimeException failure) {
    return hasCause(failure, Http2Exception.class);
  }

  private static String otherProtocol(String server) {
    return "what answers on "
        + server
        + " does not speak gRPC: --server names the address of --listen, not that of"
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

  /** The same, with something to do about it. */
  CallFailedException withAdvice(String advice) {
    return new CallFailedException(getMessage() + "\n" + advice, exitCode, this);
  }

  /** Whether nobody knows what became of the call. */
  boolean isInDoubt() {
    return getCause() instanceof StatusRuntimeException failure
        && (failure.getStatus().getCode() == Status.Code.UNAVAILABLE
            || failure.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED);
  }

  public int exitCode() {
    return exitCode;
  }
}
