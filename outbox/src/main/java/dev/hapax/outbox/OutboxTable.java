package dev.hapax.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The intents of one workspace in the table of the outbox, in one transaction. */
final class OutboxTable {

  /**
   * One relay at a time sends intents of a workspace, which keeps the order of the lanes. The lock
   * ends with the transaction, and so with the connection of a relay that is gone. A relay that is
   * cut off from the database loses its connection after the second value.
   */
  private static final String LOCK =
      "SELECT pg_try_advisory_xact_lock(hashtextextended('hapax_outbox/' || ?, 0)),"
          + " set_config('idle_in_transaction_session_timeout', '60s', true)";

  /** From the first number on, as a transaction with a low number may commit late. */
  private static final String POSTED =
      "SELECT seq, ticket, tries, coalesce(not_before <= clock_timestamp(), true) AS is_due, verb,"
          + " role, run_id, definition, version, input, idempotency_key, on_key_mismatch,"
          + " (extract(epoch FROM key_retention) * 1000000)::bigint AS key_retention, token,"
          + " (extract(epoch FROM token_retention) * 1000000)::bigint AS token_retention,"
          + " on_conflict, queue_limit, expected_owner, signal_id, signal_type, signal_payload, start_at,"
          + " ARRAY(SELECT key FROM jsonb_each_text(labels) ORDER BY key) AS label_names,"
          + " ARRAY(SELECT value FROM jsonb_each_text(labels) ORDER BY key) AS label_values, reason,"
          + " traceparent"
          + " FROM hapax_outbox.intent WHERE workspace = ? AND failed_at IS NULL ORDER BY seq";

  private static final String DELIVERED = "DELETE FROM hapax_outbox.intent WHERE seq = ANY (?)";

  private static final String FAILED =
      "UPDATE hapax_outbox.intent SET failed_at = clock_timestamp(), failed_reason = ?,"
          + " failed_detail = ? WHERE seq = ?";

  /** Pauses of 1 s to 5 min. */
  private static final String DEFER =
      "UPDATE hapax_outbox.intent SET tries = tries + 1, not_before = clock_timestamp()"
          + " + least(interval '1 second' * 2 ^ least(tries, 10), interval '5 minutes')"
          + " WHERE seq = ANY (?)";

  /** How many intents of a long lane are passed over to find another lane. */
  private static final int LONGEST_SCAN = 1_000;

  private final Connection connection;
  private final String workspace;

  OutboxTable(Connection connection, String workspace) {
    this.connection = connection;
    this.workspace = workspace;
  }

  /** Whether this transaction may send; false = another relay is sending. */
  boolean lock() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(LOCK)) {
      statement.setString(1, workspace);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getBoolean(1);
      }
    }
  }

  /**
   * The first intents that may be sent now, one for each lane: the next one is sent when this one
   * is removed. Else a signal to a token that is sent again could reach the next owner of the
   * token. Only a cancellation passes signals that wait, as they may wait because the run does not
   * take them.
   */
  List<OutboxIntent> due(int most) throws SQLException {
    List<OutboxIntent> due = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    Set<String> signaled = new HashSet<>();
    try (PreparedStatement statement = connection.prepareStatement(POSTED)) {
      statement.setString(1, workspace);
      statement.setFetchSize(most);
      try (ResultSet rows = statement.executeQuery()) {
        for (int read = 0; due.size() < most && rows.next(); read++) {
          OutboxIntent intent = new OutboxRow(rows, workspace).intent();
          String verb = rows.getString("verb");
          boolean isSent =
              rows.getBoolean("is_due")
                  && Collections.disjoint(intent.lanes(), taken)
                  && (verb.equals("cancel_run") || Collections.disjoint(intent.lanes(), signaled));
          if (isSent) {
            due.add(intent);
          }
          // also those of an intent that waits, so that no later one overtakes it
          (isSent || !verb.equals("signal_run") ? taken : signaled).addAll(intent.lanes());
          if (read >= LONGEST_SCAN && !due.isEmpty()) {
            break;
          }
        }
      }
    }
    return due;
  }

  void record(Map<OutboxIntent, OutboxOutcome> outcomes) throws SQLException {
    change(DELIVERED, numbers(outcomes, OutboxOutcome.Delivered.class));
    change(DEFER, numbers(outcomes, OutboxOutcome.Deferred.class));
    for (Map.Entry<OutboxIntent, OutboxOutcome> each : outcomes.entrySet()) {
      if (each.getValue() instanceof OutboxOutcome.Failed failed) {
        try (PreparedStatement statement = connection.prepareStatement(FAILED)) {
          statement.setString(1, failed.reason());
          statement.setString(2, failed.detail());
          statement.setLong(3, each.getKey().seq());
          statement.executeUpdate();
        }
      }
    }
  }

  private static Object[] numbers(
      Map<OutboxIntent, OutboxOutcome> outcomes, Class<? extends OutboxOutcome> outcome) {
    return outcomes.entrySet().stream()
        .filter(each -> outcome.isInstance(each.getValue()))
        .map(each -> each.getKey().seq())
        .toArray();
  }

  private void change(String sql, Object[] numbers) throws SQLException {
    if (numbers.length > 0) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setArray(1, connection.createArrayOf("bigint", numbers));
        statement.executeUpdate();
      }
    }
  }
}
