package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Claim;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.examples.billing.TransactionalPayments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/** Applies a payment in a process of its own, to be killed or frozen in a window of the crash. */
final class TransactionalPaymentsMain {
  /** Where it stops until its file is there. */
  enum Window {
    /** The payment is written, and the function is not called. */
    BEFORE_FUNCTION,
    /** The function is called, and the transaction is open. */
    BEFORE_COMMIT,
    /** The transaction is committed, and the client has not returned. */
    AFTER_COMMIT
  }

  static final String OUTCOME = "outcome: ";
  static final long CENTS = 1_250;
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Path file;
  private final Window window;
  private final String number;

  private TransactionalPaymentsMain(Path file, Window window, String number) {
    this.file = file;
    this.window = window;
    this.number = number;
  }

  /** Arguments: HOST:PORT, workspace, JDBC URL, the invoice, the window, the file. */
  public static void main(String[] arguments) throws SQLException {
    var channel = TestAccess.channel(arguments[0]).build();
    var entities =
        Hapax.builder(Map.of()).channel(channel).workspace(arguments[1]).connect().entities();
    var database = new PGSimpleDataSource();
    database.setURL(arguments[2]);
    var main =
        new TransactionalPaymentsMain(
            Path.of(arguments[5]), Window.valueOf(arguments[4]), arguments[3]);
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      var outcome =
          entities.tryAct(
              TransactionalPayments.action(main.number).lease(LEASE),
              Codec.jsonText(),
              claim -> main.apply(claim, connection));
      System.out.println(OUTCOME + outcome.getClass().getSimpleName());
    }
    channel.shutdownNow();
  }

  /** As the client does with a data source. */
  private String apply(Claim claim, Connection connection) throws SQLException {
    try {
      var result = TransactionalPayments.write(connection, number, CENTS);
      reach(Window.BEFORE_FUNCTION);
      var completed = claim.completeIn(connection, result);
      reach(Window.BEFORE_COMMIT);
      connection.commit();
      reach(Window.AFTER_COMMIT);
      return completed;
    } catch (RuntimeException e) {
      connection.rollback();
      throw e;
    }
  }

  private void reach(Window reached) {
    if (reached == window) {
      System.out.println(reached);
      while (!Files.exists(file)) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
