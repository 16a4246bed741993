package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Hapax;
import dev.hapax.outbox.OutboxRelay;
import dev.hapax.testkit.postgres.TestDatabase;
import io.grpc.ManagedChannel;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An application with a database of its own, and the relays of its outbox. */
final class OutboxCaller implements AutoCloseable {
  private final TestDatabase database = TestDatabase.create();
  private final List<OutboxRelay> relays = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final String workspace;

  OutboxCaller(String workspace) {
    this.workspace = workspace;
    database.execute(OutboxRelay.script());
  }

  TestDatabase database() {
    return database;
  }

  /** A relay that sends to this server. */
  OutboxRelay relay(String target) {
    var channel = TestAccess.channel(target).build();
    channels.add(channel);
    var hapax =
        Hapax.builder()
            .channel(channel)
            .workspace(workspace)
            .callTimeout(Duration.ofSeconds(1))
            .connect();
    var relay = OutboxRelay.start(hapax, database.dataSource());
    relays.add(relay);
    return relay;
  }

  /** Opens a connection whose transactions end with commit or rollback. */
  Connection begin() throws SQLException {
    var connection = database.connect();
    connection.setAutoCommit(false);
    return connection;
  }

  /** Calls a function, such as {@code start_run}, with arguments behind the workspace. */
  String post(Connection connection, String function, String arguments) throws SQLException {
    var sql = "SELECT hapax_outbox.%s('%s', %s)".formatted(function, workspace, arguments);
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Posts an intent in a transaction of its own. */
  String post(String function, String arguments) throws SQLException {
    try (var connection = database.connect()) {
      return post(connection, function, arguments);
    }
  }

  /** How many intents are in the outbox, without those that failed. */
  int posted() {
    return Integer.parseInt(
        database.query("SELECT count(*) FROM hapax_outbox.intent WHERE failed_at IS NULL"));
  }

  void awaitSent() {
    Condition.await("all are sent", () -> posted() == 0);
  }

  @Override
  public void close() {
    relays.forEach(OutboxRelay::close);
    channels.forEach(ManagedChannel::shutdownNow);
    database.close();
  }
}
