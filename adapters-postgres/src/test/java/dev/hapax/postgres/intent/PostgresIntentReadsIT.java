package dev.hapax.postgres.intent;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.postgres.ledger.CommitNotifier;
import dev.hapax.postgres.ledger.DatabaseFence;
import dev.hapax.postgres.ledger.DatabaseOutage;
import dev.hapax.postgres.ledger.LedgerConnections;
import dev.hapax.postgres.ledger.PendingIntents;
import dev.hapax.postgres.ledger.PostgresLedger;
import dev.hapax.postgres.read.ReadExecutor;
import dev.hapax.postgres.read.WideReads;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.SessionRoles;
import dev.hapax.testkit.intent.IntentReadsContract;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresIntentReadsIT extends IntentReadsContract {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static HikariDataSource pool;
  private static CommitNotifier signal;
  private static PostgresLedger ledger;
  private static ReadExecutor reads;

  @BeforeAll
  static void start() {
    Migrations.migrate(DATABASE.dataSource());
    var address = new HikariConfig();
    address.setDataSource(DATABASE.dataSource());
    var settings = PostgresLedger.Settings.DEFAULT;
    pool = LedgerConnections.pool(address, settings.committers(), SessionRoles.SEPARATED);
    signal = new CommitNotifier(DATABASE.dataSource(), DATABASE.dataSource());
    ledger =
        new PostgresLedger(
            pool,
            List.of(new IntentTable()),
            signal,
            new DatabaseFence(0, 1),
            new DatabaseOutage(pool),
            new PendingIntents(),
            settings);
    reads = new ReadExecutor(DATABASE.dataSource(), 1);
  }

  @AfterAll
  static void stop() {
    ledger.close();
    signal.close();
    pool.close();
    reads.close();
    DATABASE.close();
  }

  @Override
  protected Ledger ledger() {
    return ledger;
  }

  @Override
  protected IntentReads intents() {
    return new PostgresIntentReads(reads, new WideReads(reads));
  }

  @Override
  protected Transaction begin() {
    DATABASE.execute(
        """
        INSERT INTO hapax.sql_grant VALUES (session_user, '%s', '{cancel_run}', now(), 'test',
          session_user::regrole)
        ON CONFLICT DO NOTHING;
        SELECT hapax.apply_sql_grants()"""
            .formatted(workspace.name()));
    try {
      var connection = DATABASE.connect();
      connection.setAutoCommit(false);
      return new Posting(connection, cancellation());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private String cancellation() {
    return "SELECT hapax.parse_id('intent', hapax.cancel_run('%s', hapax.print_id('run', '%s'), 'enough'))"
        .formatted(workspace.name(), run.uuid());
  }

  private final class Posting implements Transaction {
    private final Connection connection;
    private final String cancellation;

    Posting(Connection connection, String cancellation) {
      this.connection = connection;
      this.cancellation = cancellation;
    }

    @Override
    public IntentId post() {
      try (var statement = connection.createStatement();
          var row = statement.executeQuery(cancellation)) {
        row.next();
        return new IntentId(workspace, row.getObject(1, UUID.class));
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void commit() {
      try (connection) {
        connection.commit();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void rollBack() {
      try (connection) {
        connection.rollback();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
