package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.RunningAction;
import dev.hapax.examples.billing.TransactionalPayments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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
    var claims =
        HapaxClient.on(channel, ClientOptions.DEFAULT.withWorkspace(arguments[1])).claims();
    var database = new PGSimpleDataSource();
    database.setURL(arguments[2]);
    var main =
        new TransactionalPaymentsMain(
            Path.of(arguments[5]), Window.valueOf(arguments[4]), arguments[3]);
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      var outcome =
          claims.run(
              TransactionalPayments.request(main.number).withLease(LEASE),
              running -> main.apply(running, connection));
      System.out.println(OUTCOME + outcome.getClass().getSimpleName());
    }
    channel.shutdownNow();
  }

  /** As the client does with a data source. */
  private ActionResult<Long> apply(RunningAction running, Connection connection)
      throws SQLException {
    try {
      var result = TransactionalPayments.write(connection, number, CENTS);
      reach(Window.BEFORE_FUNCTION);
      var completed = running.complete(connection, result);
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
