package dev.hapax.client;

import dev.hapax.client.internal.CompletionFunction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Completes the work of a claim in a transaction, by a SQL function of Hapax. */
interface SqlCompletion {

  SqlCompletion UNTRACKED = (claim, connection, value) -> {};

  void complete(Claim claim, Connection connection, @Nullable Object value) throws SQLException;

  /**
   * Returns the completion by this function.
   *
   * @param more further arguments
   */
  @SuppressWarnings({"unchecked", "NullAway"}) // the value is the one that the work is to return
  static <T extends @Nullable Object> SqlCompletion by(
      CompletionFunction function,
      dev.hapax.client.Connection hapax,
      Codec<T> codec,
      Function<Claim, @Nullable String[]> more) {
    return (claim, connection, value) -> {
      var result = hapax.write(codec, (T) value);
      hapax.renewals().renewLast(claim);
      try {
        function.execute(connection, hapax.workspace(), claim.message(), result, more.apply(claim));
      } catch (SQLException error) {
        throw refusal(claim, error);
      }
    };
  }

  /** Returns the exception for the SQLSTATE of an error of Hapax; throws other errors. */
  private static HapaxException refusal(Claim claim, SQLException error) throws SQLException {
    String problem =
        switch (Objects.requireNonNullElse(error.getSQLState(), "")) {
          case "HX002" -> throw claim.lost(error);
          case "HX001" -> "an argument of the completion is invalid";
          case "HX003" -> "an action without a claim state cannot be completed in a transaction";
          case "HX004" -> "a server of Hapax is too old for completions in a transaction";
          case "HX005" -> "the inbox of Hapax is full";
          case "HX006" -> "the workspace is in another cell, whose database is another one";
          case "42501" -> "the database role may not complete; grant it with hapax sql grant";
          default -> throw error;
        };
    return new HapaxException.Refused(problem, error);
  }
}
