package dev.hapax.examples.billing;

import dev.hapax.client.ActOutcome;
import dev.hapax.client.Action;
import dev.hapax.client.Codec;
import dev.hapax.client.Entities;
import dev.hapax.client.InvalidAction;
import dev.hapax.client.Tx;
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
  private final Entities entities;
  private final DataSource database;

  public TransactionalPayments(Entities entities, DataSource database) {
    this.entities = entities;
    this.database = database;
  }

  /** The step that applies a payment to an invoice which is sent or overdue. */
  public static Action action(String number) {
    return Action.of("invoice", number, "apply_payment", "admin");
  }

  /** Applies a payment, unless another caller does so or the invoice is paid. */
  public ActOutcome<String> apply(String number, long cents) throws SQLException {
    return entities.tryAct(
        action(number),
        Codec.jsonText(),
        claim -> Tx.run(database, claim, connection -> write(connection, number, cents)));
  }

  /** The writes of the action. They are committed together with its completion. */
  public static String write(Connection connection, String number, long cents)
      throws SQLException {
    if (cents <= 0) {
      throw new InvalidAction("a payment has more than 0 cents");
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
    return Long.toString(cents);
  }
}
