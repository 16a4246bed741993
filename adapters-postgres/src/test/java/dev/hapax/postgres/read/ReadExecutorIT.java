package dev.hapax.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.LedgerException.Defective;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A read that fails says why: the database is away, or the query is broken. */
class ReadExecutorIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private TestDatabase database;
  private HikariDataSource pool;
  private ReadExecutor reads;

  @BeforeEach
  void start() {
    database = TestDatabase.create();
    pool = new HikariDataSource();
    pool.setDataSource(database.dataSource());
    pool.setConnectionTimeout(4_000);
    reads = new ReadExecutor(pool, 1);
  }

  @AfterEach
  void stop() {
    reads.close();
    pool.close();
    database.close();
  }

  private static ReadExecutor.Read<Boolean> executing(String sql) {
    return session -> {
      try (var statement = session.connection().createStatement()) {
        return statement.execute(sql);
      }
    };
  }

  private void fails(ReadExecutor.Read<?> read, Class<?> failure, String sqlState) {
    assertThat(reads.submit(Workspace.DEFAULT, read))
        .failsWithin(PATIENCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(failure)
        .havingCause()
        .isInstanceOfSatisfying(
            SQLException.class, cause -> assertThat(cause.getSQLState()).isEqualTo(sqlState));
  }

  private String scopeOfRead(String workspace) {
    return reads
        .submit(
            new Workspace(workspace),
            session -> {
              var scope = new AtomicReference<String>();
              IndexScan.query(
                  session,
                  "SELECT current_setting('hapax.scope')",
                  List.of(),
                  row -> scope.set(row.getString(1)));
              return scope.get();
            })
        .join();
  }

  @Test
  @Tag("A6")
  @DisplayName(
      "given one connection, when reads of workspaces take turns, then each has its own scope")
  void scopes() {
    assertThat(scopeOfRead("a")).isEqualTo("a");
    assertThat(scopeOfRead("a")).isEqualTo("a");
    assertThat(scopeOfRead("b")).isEqualTo("b");
    // rolled back with its scope
    assertThat(
            reads.submit(
                new Workspace("c"),
                session -> {
                  IndexScan.query(session, "SELECT nonsense", List.of(), _ -> {});
                  return true;
                }))
        .failsWithin(PATIENCE);
    assertThat(scopeOfRead("c")).isEqualTo("c");
    assertThat(scopeOfRead("b")).isEqualTo("b");
    // sends nothing
    assertThat(reads.submit(new Workspace("a"), _ -> true).join()).isTrue();
    assertThat(scopeOfRead("a")).isEqualTo("a");
  }

  @Test
  @DisplayName("a query that the database refuses is a defect, with its cause")
  void broken() {
    fails(executing("SELECT nonsense"), Defective.class, "42703");
    fails(
        session -> DSL.using(session.connection(), SQLDialect.POSTGRES).fetch("SELECT nonsense"),
        Defective.class,
        "42703");
  }

  @Test
  @DisplayName("a query that takes too long is an outage, with its cause")
  void tooLong() {
    fails(executing("SET statement_timeout = 10; SELECT pg_sleep(60)"), Unavailable.class, "57014");
  }

  @Test
  @DisplayName("a connection that is lost, and one that cannot be made, are outages with a cause")
  void away() {
    assertThat(hasAnswered()).isFalse();
    readOnce();
    assertThat(hasAnswered()).isTrue();
    fails(executing("SELECT pg_terminate_backend(pg_backend_pid())"), Unavailable.class, "57P01");
    assertThat(hasAnswered()).isFalse();
    readOnce();
    assertThat(hasAnswered()).isTrue();
    database.allowConnections(false);
    database.disconnectAll();
    assertThat(reads.submit(Workspace.DEFAULT, executing("SELECT 1")))
        .failsWithin(PATIENCE)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(Unavailable.class)
        .havingCause()
        .isInstanceOf(SQLException.class);
    assertThat(hasAnswered()).isFalse();
  }

  private void readOnce() {
    assertThat(reads.submit(Workspace.DEFAULT, executing("SELECT 1"))).succeedsWithin(PATIENCE);
  }

  private boolean hasAnswered() {
    return reads.last().filter(read -> read.isAnsweredWithin(PATIENCE)).isPresent();
  }
}
