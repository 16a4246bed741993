package dev.hapax.bootstrap.demo;

import dev.hapax.client.Codec;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.operation.Outcome;
import dev.hapax.client.operation.RunningOperation;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.postgres.intent.SqlGrantTable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Locale;
import javax.sql.DataSource;

/** Scene 10: a row of the shop and the result of its operation are one commit. */
record GiftCardScene(DataSource database, HapaxClient client, DemoOutput screen) {
  private static final String CARD = "card-10";

  /** Called when the connection is lost. */
  private enum Loss {
    NEVER,
    BEFORE_COMMIT,
    IN_COMMIT
  }

  static GiftCardScene on(DemoEnvironment stage, DemoOutput screen) throws Exception {
    return new GiftCardScene(stage.database(), HapaxClient.on(stage.hapax()), screen);
  }

  /** Plays the scene and returns the number of cards in the table. */
  int issued() throws Exception {
    screen.heading("10. A row of the shop is committed together with the result");
    screen.say(
        """
        The shop has its tables in the database of Hapax. One transaction inserts a gift card and
        records the result. The connection is lost before the COMMIT, and then during it.""");
    prepare();
    screen.tableHead();
    ask("Ida", Loss.BEFORE_COMMIT);
    ask("Ida, again", Loss.IN_COMMIT);
    ask("Ida, again", Loss.NEVER);
    var cards = cards();
    screen.good(String.format(Locale.ROOT, "= the table has %d card", cards));
    return cards;
  }

  private void prepare() throws SQLException, IOException {
    String role;
    try (var connection = database.getConnection();
        var statement = connection.createStatement()) {
      role = connection.getMetaData().getUserName();
      var _ =
          statement.execute("CREATE SCHEMA shop; CREATE TABLE shop.gift_card (id text, euros int)");
    }
    var _ =
        SqlGrantTable.inTransaction(
            database,
            grants -> {
              grants.put(
                  role, Workspace.DEFAULT, EnumSet.of(IntentVerb.COMPLETE_OPERATION), "demo");
              return role;
            });
  }

  private void ask(String who, Loss loss) throws SQLException {
    screen.row(who, "issues " + CARD + " 50 EUR", answer(loss));
  }

  private String answer(Loss loss) throws SQLException {
    try {
      Outcome<String> outcome =
          client
              .operations()
              .execute(
                  OperationRequest.of("shop/IssueGiftCard", CARD),
                  Codec.json(),
                  operation -> issue(operation, loss));
      var kind = outcome instanceof Outcome.Replayed<String> ? " (replayed)" : "";
      return (loss == Loss.IN_COMMIT ? "connection lost, but committed: " : "")
          + outcome.orThrow()
          + kind;
    } catch (SQLException _) {
      return String.format(Locale.ROOT, "connection lost, rolled back: %d cards", cards());
    }
  }

  private String issue(RunningOperation operation, Loss loss) throws SQLException {
    try (var connection = database.getConnection()) {
      connection.setAutoCommit(false);
      execute(connection, "INSERT INTO shop.gift_card VALUES ('%s', 50)".formatted(CARD));
      var result = operation.complete(connection, "\"50 EUR\"", Codec.json());
      if (loss == Loss.BEFORE_COMMIT) {
        execute(connection, "SELECT pg_terminate_backend(pg_backend_pid())");
      }
      connection.commit();
      if (loss == Loss.IN_COMMIT) {
        throw new SQLException("the answer of the COMMIT is lost");
      }
      return result;
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      var _ = statement.execute(sql);
    }
  }

  private int cards() throws SQLException {
    try (var connection = database.getConnection();
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM shop.gift_card")) {
      var _ = rows.next();
      return rows.getInt(1);
    }
  }
}
