package dev.hapax.bench;

import dev.hapax.v1.BeginActionRequest;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteActionRequest;
import dev.hapax.v1.CompleteOperationRequest;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.Payload;
import io.grpc.Channel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Applications that write a row of their own and complete the work of a claim. */
final class CompletionLoad {
  private final BenchServers bench;
  private final OperationServiceGrpc.OperationServiceBlockingStub operations;
  private final EntityServiceGrpc.EntityServiceBlockingStub entities;
  private final ClaimLoad.Entities things;
  private final AtomicLong turns = new AtomicLong();

  CompletionLoad(BenchServers bench, Channel channel, int count) throws InterruptedException {
    this.bench = bench;
    this.operations = OperationServiceGrpc.newBlockingStub(channel);
    this.entities = EntityServiceGrpc.newBlockingStub(channel);
    this.things = new ClaimLoad(channel).create(count);
  }

  /** One turn of an application on its connection. */
  interface Turn {
    void take(Connection connection) throws SQLException;
  }

  /** Returns the turns per second on this many connections. */
  double rate(int connections, Turn turn) throws InterruptedException, ExecutionException {
    var endNanos = System.nanoTime() + bench.time().toNanos();
    try (var threads = Executors.newFixedThreadPool(connections)) {
      var all = new ArrayList<Future<Long>>();
      for (var i = 0; i < connections; i++) {
        all.add(threads.submit(() -> repeat(turn, endNanos)));
      }
      var done = 0L;
      for (var one : all) {
        done += one.get();
      }
      return done * 1e9 / bench.time().toNanos();
    }
  }

  private long repeat(Turn turn, long endNanos) throws SQLException {
    var done = 0L;
    try (var connection = bench.connect()) {
      connection.setAutoCommit(false);
      while (System.nanoTime() < endNanos) {
        turn.take(connection);
        done++;
      }
    }
    return done;
  }

  /** Commits the row, then completes the operation by its rpc. */
  void operationByCall(Connection connection) throws SQLException {
    var claim = begin();
    write(connection);
    connection.commit();
    var completed =
        operations.completeOperation(
            CompleteOperationRequest.newBuilder()
                .setClaim(claim)
                .setResult(Payload.newBuilder().setJson(OperationLoad.RESULT))
                .build());
    require(completed.hasCompleted());
  }

  /** Commits the row and the completion of the operation together. */
  void operationInTransaction(Connection connection) throws SQLException {
    var claim = begin();
    write(connection);
    complete(connection, "complete_operation", claim);
    connection.commit();
  }

  private Claim begin() {
    return operations
        .beginOperation(OperationLoad.request(OperationLoad.newKey()).build())
        .getAcquired()
        .getClaim();
  }

  /** Commits the row, then completes the action by its rpc. */
  void actionByCall(Connection connection) throws SQLException {
    var claim = beginAction();
    write(connection);
    connection.commit();
    require(
        entities
            .completeAction(
                CompleteActionRequest.newBuilder()
                    .setClaim(claim)
                    .setOutput(Payload.newBuilder().setJson(OperationLoad.RESULT))
                    .build())
            .hasCompleted());
  }

  /** Commits the row and the completion of the action together. */
  void actionInTransaction(Connection connection) throws SQLException {
    var claim = beginAction();
    write(connection);
    complete(connection, "complete_action", claim);
    connection.commit();
  }

  private Claim beginAction() {
    BeginActionRequest request = ClaimLoad.begin(things.name(turns.getAndIncrement()));
    return entities.beginAction(request).getGranted().getClaim();
  }

  private static void write(Connection connection) throws SQLException {
    try (var statement = connection.prepareStatement(SqlBench.INSERT)) {
      statement.setString(1, OperationLoad.RESULT);
      statement.executeUpdate();
    }
  }

  private static void complete(Connection connection, String function, Claim claim)
      throws SQLException {
    try (var statement =
        connection.prepareStatement("SELECT hapax." + function + "('', ?, ?, ?::jsonb)")) {
      statement.setString(1, claim.getId());
      statement.setLong(2, claim.getFence());
      statement.setString(3, OperationLoad.RESULT);
      statement.execute();
    }
  }

  private static void require(boolean isCompleted) {
    if (!isCompleted) {
      throw new IllegalStateException("the claim was lost");
    }
  }
}
