package dev.hapax.postgres.ledger;

import java.sql.SQLException;
import java.util.Optional;

/** The state of a transaction after an error of the database. */
public enum SqlState {
  /** The session has ended; a commit that was sent may have happened. */
  CONNECTION_LOST,
  /** Rolled back; an immediate retry may succeed. */
  RETRY,
  /** Rolled back: a lock or a statement took too long. */
  BLOCKED,
  /** The server is read-only or out of resources. */
  NOT_WRITABLE,
  /** Rolled back; a retry would fail again. */
  OTHER;

  /** Of {@code hapax.expect}. */
  private static final String TOO_FEW = "HX001";

  public static SqlState of(SQLException e) {
    var state = e.getSQLState();
    if (state == null) {
      return CONNECTION_LOST;
    }
    return switch (state) {
      // idle in a transaction, or too long in one: the server ended the session
      case "25P03", "25P04" -> CONNECTION_LOST;
      // 23505: another node inserted the row first; 0A000: an old plan; 25P02: the session was in a
      // transaction that had failed
      case "40001", "40P01", TOO_FEW, "23505", "0A000", "25P02" -> RETRY;
      case "55P03", "57014" -> BLOCKED;
      case "25006" -> NOT_WRITABLE;
      default -> ofClass(state);
    };
  }

  /** What {@code hapax.expect} found fewer rows of, if that is the error. */
  static Optional<String> missing(SQLException e) {
    // behind the last colon: the first one may follow the severity, in any language
    var message = message(e);
    return TOO_FEW.equals(e.getSQLState())
        ? Optional.of(message.substring(message.lastIndexOf(": ") + 2))
        : Optional.empty();
  }

  /** What the database says of an error, without hints and details. */
  public static String message(SQLException e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("").replace("ERROR: ", "");
  }

  private static SqlState ofClass(String state) {
    // crash, shutdown, the database was dropped
    if (state.startsWith("08") || state.startsWith("57P")) {
      return CONNECTION_LOST;
    }
    // out of disk, memory, connections; input and output fail
    return state.startsWith("53") || state.startsWith("58") ? NOT_WRITABLE : OTHER;
  }
}
