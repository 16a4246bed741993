package dev.hapax.examples.billing;

import dev.hapax.client.ActOutcome;
import dev.hapax.client.Action;
import dev.hapax.client.Claim;
import dev.hapax.client.Codec;
import dev.hapax.client.Entities;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.InvalidAction;
import dev.hapax.client.Recovery;
import dev.hapax.client.Verdict;
import dev.hapax.client.Work;
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

  private final Entities entities;
  private final Tables tables;

  public Payments(Entities entities, DataSource database) {
    this.entities = entities;
    this.tables = new Tables(database);
  }

  private <E extends Exception> ActOutcome<String> act(
      String number, String step, String requester, Work<String, E> work) throws E {
    return entities.tryAct(Action.of("invoice", number, step, requester), Codec.text(), work);
  }

  /** To do it twice changes nothing: no claim, the first one wins. */
  public ActOutcome<String> markOverdue(String number) {
    return act(number, "mark_overdue", "system", claim -> number);
  }

  /** Puts a new document in the place of an invoice's old one. */
  public ActOutcome<String> regenerate(String number) throws SQLException {
    return act(number, "regenerate", "admin", claim -> regenerate(claim, number));
  }

  /** The action itself, by the holder of the invoice. */
  public String regenerate(Claim claim, String number) throws SQLException {
    return write(
        claim,
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
  public ActOutcome<String> apply(String number, long cents) throws SQLException {
    return act(number, "apply_payment", "admin", claim -> apply(claim, number, cents));
  }

  /** The action itself, by the holder of the invoice. */
  public String apply(Claim claim, String number, long cents) throws SQLException {
    if (cents <= 0) {
      throw new InvalidAction("a payment has more than 0 cents");
    }
    return write(
        claim,
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
              claim.fence());
          return number;
        });
  }

  /** The fence goes first: a holder with a lower one than the invoice writes nothing. */
  private <T> T write(Claim claim, String number, Tables.Work<T> work) throws SQLException {
    return tables.inOneTransaction(
        connection -> {
          if (!raise(connection, number, claim.fence())) {
            throw new FinalFailure("FENCED", "a holder with a higher fence was here");
          }
          return work.on(connection);
        });
  }

  private static boolean raise(Connection connection, String number, long fence)
      throws SQLException {
    return Tables.update(connection, TAKE, fence, number, fence) == 1;
  }

  /**
   * What became of an action whose holder is gone. It may only stand still: so the fence goes first
   * here too, and from then on what is not there will never be.
   */
  public Verdict look(Recovery recovery) throws SQLException {
    var number = recovery.entity().id();
    var lost = recovery.lostFence();
    return tables.inOneTransaction(
        connection -> {
          raise(connection, number, recovery.fence());
          return Tables.exists(
                  connection,
                  """
                  SELECT 1 FROM payment WHERE invoice = ? AND fence = ?
                  UNION ALL SELECT 1 FROM document WHERE invoice = ? AND fence = ?""",
                  number,
                  lost,
                  number,
                  lost)
              ? Verdict.COMPLETE
              : Verdict.REVERT;
        });
  }
}
