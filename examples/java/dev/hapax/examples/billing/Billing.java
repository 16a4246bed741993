package dev.hapax.examples.billing;

import dev.hapax.client.claim.ActionOutcome;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.Claims;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.claim.RunningAction;
import dev.hapax.client.worker.Completion;
import dev.hapax.client.worker.TaskContext;
import dev.hapax.client.worker.TaskResult;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Closes billings. What that writes comes out the same when it is written again, so the janitor of
 * this module is <em>hosted</em>: Hapax takes a billing back whose holder died, and the next
 * caller closes it. The fence keeps the former holder from writing after all.
 */
public final class Billing {
  private final Claims claims;
  private final Tables tables;
  private final Mail mail;

  /** Sends the emails of a billing; the same key again sends nothing. */
  public interface Mail {
    void send(String idempotencyKey, String billing);
  }

  public Billing(Claims claims, DataSource database, Mail mail) {
    this.claims = claims;
    this.tables = new Tables(database);
    this.mail = mail;
  }

  /** Closes a billing, unless another caller holds it or it is closed. */
  public ActionOutcome<String> close(String billing) throws SQLException {
    return claims.run(
        EntityKey.of("billing", billing), "close", "admin", action -> close(action, billing));
  }

  /** The action itself, by the holder of the billing. */
  public ActionResult<String> close(RunningAction action, String billing) throws SQLException {
    var closed =
        tables.inOneTransaction(
            connection ->
                Tables.update(
                    connection,
                    """
                    UPDATE billing SET closed_at = now(), fence = ?,
                      total_cents = (SELECT sum(cents) FROM billing_line WHERE billing = billing.id)
                    WHERE id = ? AND fence < ?""",
                    action.fence(),
                    billing,
                    action.fence()));
    return closed == 1
        ? ActionResult.success(billing)
        : ActionResult.failure("a holder with a higher fence was here");
  }

  /**
   * The after-effect, as the handler of the queue {@code SendBillingEmails}. It runs only if the
   * billing was closed, perhaps more than once: the id of its step is the same each time.
   */
  public TaskResult sendEmails(TaskContext effect) {
    mail.send(effect.stepId(), EntityKey.of(effect).id());
    return Completion.empty();
  }
}
