package dev.hapax.client.worker;

import dev.hapax.client.internal.ClaimLease;
import dev.hapax.client.internal.CompletionFunction;
import dev.hapax.client.internal.Heartbeats;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteTaskRequest;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The completion of a task in a transaction of its handler. */
final class TaskTransaction {

  private final ClaimLease lease;
  private final Heartbeats heartbeats;
  private final String workspace;
  private volatile boolean used;

  TaskTransaction(ClaimLease lease, Heartbeats heartbeats, String workspace) {
    this.lease = lease;
    this.heartbeats = heartbeats;
    this.workspace = workspace;
  }

  /** Completes the task if the transaction of the connection commits. */
  void complete(Connection connection, Completion completion) throws SQLException {
    CompleteTaskRequest request = completion.toProto();
    if (request.getSkip() || request.getConsumedSignalIdsCount() > 0) {
      throw new IllegalArgumentException(
          "a completion in a transaction cannot skip the step or consume signals; return it"
              + " without calling complete");
    }
    heartbeats.stop(lease);
    CompletionFunction.TASK.call(
        connection,
        workspace,
        lease.claim(),
        request.hasOutput() ? request.getOutput() : null,
        this::lost,
        request.hasStatePatch() ? request.getStatePatch().getJson() : null);
    used = true;
  }

  /** Whether a transaction has completed the task, unless it rolled back. */
  boolean isUsed() {
    return used;
  }

  private TaskLostException lost(SQLException cause) {
    lease.revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    return lost(lease, cause);
  }

  static TaskLostException lost(ClaimLease lease, @Nullable SQLException cause) {
    ClaimLostReason reason = lease.lostReason();
    return new TaskLostException(
        reason == null ? ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST : reason, cause);
  }
}
