package dev.hapax.bootstrap.acceptance;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Duration;
import dev.hapax.v1.Claim;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RenewActionRequest;
import dev.hapax.v1.RunStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A record that a caller holds, and may complete in SQL.
 *
 * @param name of the entity or operation, or the id of the run
 */
record ClaimedRecord(Kind kind, String name, Claim claim) {
  private static final int MOST_TASKS = 100;
  private static final Duration LEASE = Caller.seconds(60);

  enum Kind {
    ACTION("complete_action"),
    TASK("complete_task"),
    OPERATION("complete_operation");

    private final String function;

    Kind(String function) {
      this.function = function;
    }
  }

  /** So many of each kind, one kind after the other. */
  static List<ClaimedRecord> ofEachKind(ClaimCaller caller, int each) {
    var records = new ArrayList<ClaimedRecord>();
    for (var i = 0; i < each; i++) {
      records.add(action(caller, "i-" + i));
      records.add(operation(caller, "charge-" + i));
    }
    records.addAll(tasks(caller, each));
    return records;
  }

  static ClaimedRecord action(ClaimCaller caller, String id) {
    var _ = caller.approved(id);
    return new ClaimedRecord(Kind.ACTION, id, caller.claimed(id));
  }

  static ClaimedRecord operation(ClaimCaller caller, String requestId) {
    return new ClaimedRecord(Kind.OPERATION, requestId, caller.runs().caller().acquire(requestId));
  }

  /** The tasks of so many new runs of one step. */
  static List<ClaimedRecord> tasks(ClaimCaller caller, int count) {
    var runs = caller.runs();
    // on a busy machine a load may take longer than the usual lease
    runs.define("order", RunCaller.task("charge", Caller.seconds(600)));
    for (var i = 0; i < count; i++) {
      var _ = runs.started("order");
    }
    var tasks = new ArrayList<ClaimedRecord>();
    while (tasks.size() < count) {
      var most = Math.min(count - tasks.size(), MOST_TASKS);
      for (var task : runs.poll(runs.polling("w").setMaxTasks(most))) {
        tasks.add(new ClaimedRecord(Kind.TASK, task.getRun().getId(), task.getClaim()));
      }
    }
    return tasks;
  }

  /** The SQL function that completes it. */
  String function() {
    return kind.function;
  }

  /** Completes it in this transaction. */
  void complete(SqlCaller sql, Connection connection) throws SQLException {
    var _ = sql.complete(connection, function(), claim);
  }

  /** Whether this server shows it as completed. */
  boolean isCompleted(ClaimCaller server) {
    return switch (kind) {
      case ACTION -> server.get(name).getStatus().equals("closed");
      case TASK -> server.runs().get(name).getStatus() == RunStatus.RUN_STATUS_COMPLETED;
      case OPERATION ->
          server.runs().caller().get(name).getState() == OperationState.OPERATION_STATE_COMPLETED;
    };
  }

  /** Renews its lease; returns whether it is still held. */
  boolean renew(ClaimCaller server) {
    return switch (kind) {
      case ACTION -> server.renew(claim, LEASE).hasRenewed();
      case TASK -> server.runs().worker().heartbeatTasks(heartbeat()).getResults(0).hasRenewed();
      case OPERATION -> server.runs().caller().renew(claim).hasRenewed();
    };
  }

  /** Begins to renew its lease. */
  ListenableFuture<?> renewing(ClaimCaller server) {
    return switch (kind) {
      case ACTION ->
          server
              .futures()
              .renewAction(
                  RenewActionRequest.newBuilder()
                      .setWorkspace(server.workspace())
                      .setClaim(claim)
                      .setLease(LEASE)
                      .build());
      case TASK -> server.runs().workers().heartbeatTasks(heartbeat());
      case OPERATION ->
          server
              .runs()
              .caller()
              .futures()
              .renewOperation(server.runs().caller().renewal(claim, LEASE));
    };
  }

  private HeartbeatTasksRequest heartbeat() {
    // no workspace: each claim names its own
    return HeartbeatTasksRequest.newBuilder().addClaims(claim).build();
  }
}
