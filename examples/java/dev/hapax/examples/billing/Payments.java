package dev.hapax.examples.billing;

import dev.hapax.client.claim.ActionOutcome;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.Claims;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.claim.RecoveryVerdict;
import dev.hapax.client.claim.RunningAction;
import dev.hapax.v1.Recovery;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Regenerates invoices and applies payments to them. Either would do harm if it ran twice, so the
 * janitor of this module is <em>remote</em>: when a holder has died, {@link #look} finds out
 * whether it had written.
 */
public final class Payments {
  private static final String TAKE = "UPDATE invoice SET fence = ? WHERE number = ? AND fence < ?";

  private final Claims claims;
  private final Tables tables;

  public Payments(Claims claims, DataSource database) {
    this.claims = claims;
    this.tables = new Tables(database);
  }

  private static EntityKey invoice(String number) {
    return EntityKey.of("invoice", number);
  }

  /** To do it twice changes nothing: no claim, the first one wins. */
  public ActionOutcome<String> markOverdue(String number) {
    return claims.run(
        invoice(number), "mark_overdue", "system", action -> ActionResult.success(number));
  }

  /** Puts a new document in the place of an invoice's old one. */
  public ActionOutcome<String> regenerate(String number) throws SQLException {
    return claims.run(
        invoice(number), "regenerate", "admin", action -> regenerate(action, number));
  }

  /** The action itself, by the holder of the invoice. */
  public ActionResult<String> regenerate(RunningAction action, String number) throws SQLException {
    return write(
        action,
        number,
        connection -> {
          Tables.update(
              connection, "UPDATE document SET deleted = true WHERE invoice = ?", number);
          Tables.update(
              connection,
              "INSERT INTO document (invoice, cents, fence)"
                  + " SELECT number, cents, fence FROM invoice WHERE number = ?",
              number);
          return number;
        });
  }

  /** Applies a payment to an invoice that is sent or overdue: two steps with one key. */
  public ActionOutcome<Long> apply(String number, long cents) throws SQLException {
    return claims.run(
        invoice(number), "apply_payment", "admin", action -> apply(action, number, cents));
  }

  /** The action itself, by the holder of the invoice. */
  public ActionResult<Long> apply(RunningAction action, String number, long cents)
      throws SQLException {
    if (cents <= 0) {
      return ActionResult.invalid("a payment has more than 0 cents");
    }
    return write(
        action,
        number,
        connection -> {
          Tables.update(
              connection,
              "UPDATE invoice SET paid_cents = paid_cents + ? WHERE number = ?",
              cents,
              number);
          Tables.update(
              connection,
              "INSERT INTO payment (invoice, cents, fence) VALUES (?, ?, ?)",
              number,
              cents,
              action.fence());
          return cents;
        });
  }

  /** The fence goes first: a holder with a lower one than the invoice writes nothing. */
  private <T> ActionResult<T> write(RunningAction action, String number, Tables.Work<T> work)
      throws SQLException {
    return tables.inOneTransaction(
        connection ->
            raise(connection, number, action.fence())
                ? ActionResult.success(work.on(connection))
                : ActionResult.failure("a holder with a higher fence was here"));
  }

  private static boolean raise(Connection connection, String number, long fence)
      throws SQLException {
    return Tables.update(connection, TAKE, fence, number, fence) == 1;
  }

  /**
   * What became of an action whose holder is gone. It may only stand still: so the fence goes first
   * here too, and from then on what is not there will never be.
   */
  public RecoveryVerdict look(Recovery recovery) throws SQLException {
    var number = recovery.getEntity().getId();
    var lost = recovery.getLost().getFence();
    return tables.inOneTransaction(
        connection -> {
          raise(connection, number, recovery.getClaim().getFence());
          return Tables.exists(
                  connection,
                  """
                  SELECT 1 FROM payment WHERE invoice = ? AND fence = ?
                  UNION ALL SELECT 1 FROM document WHERE invoice = ? AND fence = ?""",
                  number,
                  lost,
                  number,
                  lost)
              ? RecoveryVerdict.COMPLETE
              : RecoveryVerdict.REVERT;
        });
  }
}
