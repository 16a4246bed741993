package dev.hapax.client;

import dev.hapax.client.internal.CompletionFunction;
import java.sql.Connection;
import java.sql.SQLException;
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
  @SuppressWarnings("unchecked") // the value is the one that the work is to return
  static <T extends @Nullable Object> SqlCompletion by(
      CompletionFunction function,
      dev.hapax.client.Connection hapax,
      Codec<T> codec,
      Function<Claim, @Nullable String[]> more) {
    return (claim, connection, value) -> {
      var result = hapax.write(codec, (T) value);
      hapax.renewals().renewLast(claim);
      function.call(
          connection, hapax.workspace(), claim.message(), result, claim::lost, more.apply(claim));
    };
  }
}
