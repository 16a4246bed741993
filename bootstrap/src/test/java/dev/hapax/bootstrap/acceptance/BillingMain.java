package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.ClientOptions;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.claim.Action;
import dev.hapax.client.claim.ActionRequest;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.claim.RunningAction;
import dev.hapax.examples.billing.Billing;
import dev.hapax.examples.billing.Payments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/** Acts in a process of its own, to be killed and frozen before it has written, and after. */
final class BillingMain {
  /** What it says when it is granted, when it has written or was refused, and at the end. */
  static final String ACTS = "acts";

  static final String WROTE = "wrote: ";
  static final String OUTCOME = "outcome: ";

  /** The files that let it write, and that let it end. */
  static final String WRITE = "write";

  static final String END = "end";
  static final long CENTS = 1_250;
  private static final Duration LEASE = Duration.ofSeconds(3);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Path folder;

  private BillingMain(Path folder) {
    this.folder = folder;
  }

  /** Arguments: HOST:PORT, workspace, JDBC URL, the step, the id of its entity, a folder. */
  public static void main(String[] arguments) throws SQLException {
    var channel = TestAccess.channel(arguments[0]).build();
    var claims =
        HapaxClient.on(
                channel, ClientOptions.DEFAULT.withWorkspace(arguments[1]).withActor("other"))
            .claims();
    var database = new PGSimpleDataSource();
    database.setURL(arguments[2]);
    var step = arguments[3];
    var id = arguments[4];
    Action<Object, SQLException> action =
        switch (step) {
          case "close" -> {
            var billing = new Billing(claims, database, (key, closed) -> {});
            yield running -> billing.close(running, id);
          }
          case "regenerate" -> {
            var payments = new Payments(claims, database);
            yield running -> payments.regenerate(running, id);
          }
          default -> {
            var payments = new Payments(claims, database);
            yield running -> payments.apply(running, id, CENTS);
          }
        };
    var main = new BillingMain(Path.of(arguments[5]));
    var outcome =
        claims.run(request(step, id).withLease(LEASE), running -> main.slowly(running, action));
    say(OUTCOME + outcome.getClass().getSimpleName());
    channel.shutdownNow();
  }

  static ActionRequest request(String step, String id) {
    var lifecycle = step.equals("close") ? "billing" : "invoice";
    return ActionRequest.of(EntityKey.of(lifecycle, id), step, "admin");
  }

  private ActionResult<?> slowly(RunningAction running, Action<Object, SQLException> action)
      throws SQLException {
    say(ACTS);
    await(WRITE);
    var result = action.run(running);
    say(WROTE + result.getClass().getSimpleName());
    await(END);
    return result;
  }

  private void await(String file) {
    while (!Files.exists(folder.resolve(file))) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
