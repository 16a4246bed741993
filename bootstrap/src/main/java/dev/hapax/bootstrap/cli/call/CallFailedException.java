package dev.hapax.bootstrap.cli.call;

import dev.hapax.client.HapaxException;
import dev.hapax.grpc.call.ItemErrorEncoding;
import dev.hapax.v1.ErrorReason;
import io.grpc.Status;
import picocli.CommandLine.ExitCode;

/** A call failed; has a message for the user and an exit code. */
public final class CallFailedException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int NOT_FOUND = 3;
  private static final String KEY_ADVICE =
      "\nGive an API key with --api-key-file, HAPAX_API_KEY_FILE or HAPAX_API_KEY, or a JWT with"
          + " --jwt-file or HAPAX_JWT_FILE; to another machine they are sent with TLS only."
          + " `hapax key create` makes a key.";
  private static final String ROLE_ADVICE =
      "\nUse the key of a principal with such a role; `hapax key create --role ROLE` makes one.";

  private final int exitCode;

  private CallFailedException(String message, int exitCode, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  static CallFailedException of(HapaxException failure, String server, boolean isTls) {
    var error = failure.error();
    var text = ItemErrorEncoding.text(error);
    var connection = new ConnectionProblem(failure, server, isTls);
    var isFromServer = error.getReason() != ErrorReason.ERROR_REASON_UNSPECIFIED;
    return switch (Status.fromCodeValue(error.getCode()).getCode()) {
      case NOT_FOUND -> new CallFailedException(text, NOT_FOUND, failure);
      case INVALID_ARGUMENT -> new CallFailedException(text, ExitCode.USAGE, failure);
      case DEADLINE_EXCEEDED ->
          failed("the server at " + server + " did not answer in time", failure);
      case UNAVAILABLE -> failed(isFromServer ? text : connection.unreachable(), failure);
      case UNAUTHENTICATED -> failed(text + KEY_ADVICE, failure);
      case PERMISSION_DENIED -> failed(text + ROLE_ADVICE, failure);
      case UNIMPLEMENTED ->
          failed(
              "the server at " + server + " is not a hapax server, or is an older version",
              failure);
      default -> failed(isFromServer ? text : connection.otherProtocol().orElse(text), failure);
    };
  }

  private static CallFailedException failed(String message, Throwable cause) {
    return new CallFailedException(message, ExitCode.SOFTWARE, cause);
  }

  /** Returns this exception with another line of advice. */
  CallFailedException withAdvice(String advice) {
    return new CallFailedException(getMessage() + "\n" + advice, exitCode, this);
  }

  /** Returns whether the server may have executed the call. */
  boolean isInDoubt() {
    return getCause() instanceof HapaxException.Unavailable;
  }

  public int exitCode() {
    return exitCode;
  }
}
