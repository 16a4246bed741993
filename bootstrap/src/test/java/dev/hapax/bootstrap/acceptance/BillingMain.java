package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Action;
import dev.hapax.client.Claim;
import dev.hapax.client.Codec;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.Hapax;
import dev.hapax.client.Work;
import dev.hapax.examples.billing.Billing;
import dev.hapax.examples.billing.Payments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
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
    var entities =
        Hapax.builder(Map.of())
            .channel(channel)
            .workspace(arguments[1])
            .actor("other")
            .connect()
            .entities();
    var database = new PGSimpleDataSource();
    database.setURL(arguments[2]);
    var step = arguments[3];
    var id = arguments[4];
    Work<String, SQLException> work =
        switch (step) {
          case "close" -> {
            var billing = new Billing(entities, database, (key, closed) -> {});
            yield claim -> billing.close(claim, id);
          }
          case "regenerate" -> {
            var payments = new Payments(entities, database);
            yield claim -> payments.regenerate(claim, id);
          }
          default -> {
            var payments = new Payments(entities, database);
            yield claim -> payments.apply(claim, id, CENTS);
          }
        };
    var main = new BillingMain(Path.of(arguments[5]));
    var outcome =
        entities.tryAct(
            action(step, id).lease(LEASE), Codec.text(), claim -> main.slowly(claim, work));
    say(OUTCOME + outcome.getClass().getSimpleName());
    channel.shutdownNow();
  }

  static Action action(String step, String id) {
    var lifecycle = step.equals("close") ? "billing" : "invoice";
    return Action.of(lifecycle, id, step, "admin");
  }

  private String slowly(Claim claim, Work<String, SQLException> work) throws SQLException {
    say(ACTS);
    await(WRITE);
    String result;
    try {
      result = work.run(claim);
      say(WROTE + "Success");
    } catch (FinalFailure fenced) {
      say(WROTE + "Failure");
      await(END);
      throw fenced;
    }
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
