package dev.hapax.examples.billing;

import dev.hapax.client.claim.ActionOutcome;
import dev.hapax.client.claim.ActionRequest;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.Claims;
import dev.hapax.client.claim.EntityKey;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Applies payments to invoices in the database of Hapax: the payment and the status of its invoice
 * are one commit. A holder that dies before the commit leaves nothing behind, so the janitor of
 * this module is <em>hosted</em>, and no row needs a fence. {@link Payments} is for tables in
 * another database.
 */
public final class TransactionalPayments {
  private final Claims claims;
  private final DataSource database;

  public TransactionalPayments(Claims claims, DataSource database) {
    this.claims = claims;
    this.database = database;
  }

  /** The step that applies a payment to an invoice which is sent or overdue. */
  public static ActionRequest request(String number) {
    return ActionRequest.of(EntityKey.of("invoice", number), "apply_payment", "admin");
  }

  /** Applies a payment, unless another caller does so or the invoice is paid. */
  public ActionOutcome<Long> apply(String number, long cents) throws SQLException {
    return claims.run(
        request(number), database, (action, connection) -> write(connection, number, cents));
  }

  /** The writes of the action. They are committed together with its completion. */
  public static ActionResult<Long> write(Connection connection, String number, long cents)
      throws SQLException {
    if (cents <= 0) {
      return ActionResult.invalid("a payment has more than 0 cents");
    }
    Tables.update(
        connection,
        "UPDATE invoice SET paid_cents = paid_cents + ? WHERE number = ?",
        cents,
        number);
    Tables.update(
        connection,
        "INSERT INTO payment (invoice, cents, fence) VALUES (?, ?, 0)",
        number,
        cents);
    return ActionResult.success(cents);
  }
}
