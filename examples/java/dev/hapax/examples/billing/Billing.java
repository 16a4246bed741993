package dev.hapax.examples.billing;

import dev.hapax.client.ActOutcome;
import dev.hapax.client.Action;
import dev.hapax.client.Claim;
import dev.hapax.client.Codec;
import dev.hapax.client.Entities;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.Task;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Closes billings. What that writes comes out the same when it is written again, so the janitor of
 * this module is <em>hosted</em>: Hapax takes a billing back whose holder died, and the next
 * caller closes it. The fence keeps the former holder from writing after all.
 */
public final class Billing {
  private final Entities entities;
  private final Tables tables;
  private final Mail mail;

  /** Sends the emails of a billing; the same key again sends nothing. */
  public interface Mail {
    void send(String idempotencyKey, String billing);
  }

  public Billing(Entities entities, DataSource database, Mail mail) {
    this.entities = entities;
    this.tables = new Tables(database);
    this.mail = mail;
  }

  /** Closes a billing, unless another caller holds it or it is closed. */
  public ActOutcome<String> close(String billing) throws SQLException {
    return entities.tryAct(
        Action.of("billing", billing, "close", "admin"),
        Codec.text(),
        claim -> close(claim, billing));
  }

  /** The action itself, by the holder of the billing. */
  public String close(Claim claim, String billing) throws SQLException {
    var closed =
        tables.inOneTransaction(
            connection ->
                Tables.update(
                    connection,
                    """
                    UPDATE billing SET closed_at = now(), fence = ?,
                      total_cents = (SELECT sum(cents) FROM billing_line WHERE billing = billing.id)
                    WHERE id = ? AND fence < ?""",
                    claim.fence(),
                    billing,
                    claim.fence()));
    if (closed == 0) {
      throw new FinalFailure("FENCED", "a holder with a higher fence was here");
    }
    return billing;
  }

  /**
   * The after-effect, as the handler of the queue {@code SendBillingEmails}. It runs only if the
   * billing was closed, perhaps more than once: the id of its step is the same each time.
   */
  public void sendEmails(Task effect) {
    mail.send(effect.stepId(), effect.message().getRun().getLabelsOrThrow("hapax.entity"));
  }
}
