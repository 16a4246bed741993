package dev.hapax.client;

import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/**
 * The exceptions of a completion in the caller's own transaction, one type per SQLSTATE. The
 * transaction can only be rolled back. A lost claim (HX002) is none of them: see {@link
 * dev.hapax.client.claim.ActionException.ClaimLost} and {@link
 * dev.hapax.client.operation.OperationException.ClaimLost}.
 */
public abstract sealed class SqlCompletionException extends HapaxException {

  private SqlCompletionException(String message, SQLException cause) {
    super(message + ": " + cause.getMessage(), cause);
  }

  /** Internal: the exception for an error of a completion; empty if it is not from Hapax. */
  public static Optional<SqlCompletionException> of(SQLException error) {
    return switch (Objects.requireNonNullElse(error.getSQLState(), "")) {
      case "HX001" -> Optional.of(new InvalidArgument(error));
      case "HX003" -> Optional.of(new NoClaimState(error));
      case "HX004" -> Optional.of(new OlderServer(error));
      case "HX005" -> Optional.of(new InboxFull(error));
      case "42501" -> Optional.of(new NotGranted(error));
      default -> Optional.empty();
    };
  }

  /** HX001: an argument is invalid, such as an output of more than 256 KiB. */
  public static final class InvalidArgument extends SqlCompletionException {
    InvalidArgument(SQLException cause) {
      super("an argument of the completion is invalid", cause);
    }
  }

  /** HX003: the step has no claim state. Give it one, or complete it without a connection. */
  public static final class NoClaimState extends SqlCompletionException {
    NoClaimState(SQLException cause) {
      super("an action without a claim state cannot be completed in a transaction", cause);
    }
  }

  /** HX004: a server runs that is too old. Repeat when it is upgraded or stopped. */
  public static final class OlderServer extends SqlCompletionException {
    OlderServer(SQLException cause) {
      super("a server of Hapax is too old for completions in a transaction", cause);
    }
  }

  /** HX005: too many intents wait for a server. Repeat later. */
  public static final class InboxFull extends SqlCompletionException {
    InboxFull(SQLException cause) {
      super("the inbox of Hapax is full", cause);
    }
  }

  /** 42501: the database role has no grant. See {@code hapax sql grant}. */
  public static final class NotGranted extends SqlCompletionException {
    NotGranted(SQLException cause) {
      super("the database role may not complete; grant it with hapax sql grant", cause);
    }
  }
}
