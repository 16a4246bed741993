package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.bootstrap.acceptance.Condition;
import dev.hapax.bootstrap.config.JdbcTarget;
import dev.hapax.bootstrap.config.JdbcUrl;
import dev.hapax.bootstrap.config.MigrationMode;
import dev.hapax.bootstrap.config.ServerConfig.LedgerConfig;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.postgres.DatabaseState;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.schema.RowLevelSecurity;
import dev.hapax.testkit.postgres.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/**
 * A server that starts waits for its database, and says in one sentence why it cannot use it. The
 * log is of the process: a command that another class runs in it would detach the appender.
 */
@Isolated
@Tag("long")
class DatabaseStartIT {
  private static final Duration LONG = Duration.ofHours(1);
  private static final LedgerConfig LEDGER =
      new LedgerConfig(4, 2, 256, Duration.ofDays(30), Duration.ofDays(365), RowLevelSecurity.AUTO);
  private final Logger logger = (Logger) LoggerFactory.getLogger(DatabaseStart.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private String thread = Thread.currentThread().getName();
  private TestDatabase database;

  @BeforeEach
  void start() {
    database = TestDatabase.create();
    log.start();
    logger.addAppender(log);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    database.close();
  }

  private static DatabaseStart starting(String url, Duration wait, boolean allowUnsafe) {
    var target = new JdbcTarget(new JdbcUrl(url), Optional.empty(), Optional.empty());
    return new DatabaseStart(target, LEDGER, MigrationMode.AUTO, wait, allowUnsafe, () -> false);
  }

  /** The lines of this test: servers of another class start at the same time. */
  private List<String> logged(String what) {
    return List.copyOf(log.list).stream()
        .filter(event -> event.getThreadName().equals(thread))
        .map(ILoggingEvent::getFormattedMessage)
        .filter(line -> line.contains(what))
        .toList();
  }

  private static IOException unavailable() {
    var cause = new LedgerException.Unavailable("the database cannot be reached");
    return new IOException("cannot read janitors", new CompletionException(cause));
  }

  @Test
  @DisplayName(
      "given a database that goes away during the start, then a step is repeated until it is back"
          + " [kill-loops-K4]")
  void goesAway() throws Exception {
    var failures = new ArrayDeque<>(List.of(unavailable(), unavailable()));
    starting(database.url(), LONG, true)
        .repeat(
            () -> {
              if (!failures.isEmpty()) {
                throw failures.remove();
              }
            });
    assertThat(failures).isEmpty();
    assertThat(logged("is unavailable, retrying")).hasSize(1);
  }

  @Test
  @DisplayName(
      "given a database that stays away during the start, then the error is one sentence without the"
          + " name of a class [kill-loops-K4]")
  void staysAway() {
    var start = starting(database.url(), Duration.ZERO, true);
    assertThatIOException()
        .isThrownBy(
            () ->
                start.repeat(
                    () -> {
                      throw unavailable();
                    }))
        .withMessageEndingWith(" after 0 s (--database-wait): the database cannot be reached")
        .withMessageNotContaining("Exception");
  }

  @Test
  @DisplayName("given a database that is starting up, then the server waits and logs why once")
  void waits() throws Exception {
    try (var postgres = new StartingPostgres(database.url());
        var store = starting(postgres.url(), Duration.ofMinutes(1), true).open()) {
      assertThat(store.database()).isEqualTo(DatabaseState.WRITABLE);
      assertThat(logged("retrying for up to 60 s: FATAL: the database is starting")).hasSize(1);
      assertThat(logged("retrying for up to 60 s")).hasSize(2);
    }
  }

  @Test
  @DisplayName("given a database that does not start, then the server fails with one sentence")
  void givesUp() {
    var url = "jdbc:postgresql://127.0.0.1:1/x?password=s3cret";
    assertThatIOException()
        .isThrownBy(() -> starting(url, Duration.ofSeconds(3), true).open())
        .withMessageStartingWith("cannot use jdbc:postgresql://127.0.0.1:1/x?password=***")
        .withMessageContaining("after 3 s (--database-wait): Connection to 127.0.0.1:1 refused")
        .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1).doesNotContain("org."));
    assertThat(logged("retrying for up to 3 s")).hasSize(1);
  }

  @Test
  @DisplayName(
      "given a server that waits for its database, when it gets SIGTERM, then it exits cleanly at once")
  void sigtermEndsTheWait() {
    var url = "--database-url=jdbc:postgresql://127.0.0.1:1/x";
    try (var hapax =
        HapaxProcess.start("serve", "--listen=127.0.0.1:0", url, "--database-wait=1h")) {
      hapax.awaitError(line -> line.contains("retrying for up to 3600 s"));
      hapax.terminate();

      assertThat(hapax.awaitExit()).isZero();
      assertThat(hapax.output()).isEmpty();
      assertThat(hapax.errors())
          .last()
          .asString()
          .endsWith("stop requested before jdbc:postgresql://127.0.0.1:1/x answered");
    }
  }

  @Test
  @DisplayName("given a missing database, then the server fails without waiting")
  void missing() {
    var url = database.url().replaceFirst("/hapax_test_[0-9_]+", "/nowhere");
    assertThatIOException()
        .isThrownBy(() -> starting(url, LONG, true).open())
        .withMessageContaining("\"nowhere\" does not exist")
        .satisfies(e -> assertThat(e.getMessage()).hasLineCount(1));
  }

  @Test
  @DisplayName("a database with fsync off is refused, unless that is wanted; then it is logged")
  void unsafe() throws Exception {
    assumeThat(database.query("SHOW fsync")).isEqualTo("off");
    assertThatIOException()
        .isThrownBy(() -> starting(database.url(), LONG, false).open())
        .withMessageContaining("fsync: off")
        .withMessageContaining("--allow-unsafe-database");
    assertThat(database.query("SELECT to_regnamespace('hapax') IS NULL")).isEqualTo("t");

    try (var _ = starting(database.url(), LONG, true).open()) {
      assertThat(logged("fsync: off")).hasSize(1);
    }
  }

  @Test
  @DisplayName(
      "given a user who may not create the schema, when it starts, it names the missing GRANT")
  void rights() {
    var guest = "guest_" + ProcessHandle.current().pid();
    database.execute("CREATE ROLE %s LOGIN PASSWORD 'guest'".formatted(guest));
    try {
      var url = database.url().replaceFirst("\\?.*", "");
      var target = new JdbcTarget(new JdbcUrl(url), Optional.of(guest), Optional.of("guest"));
      assertThatIOException()
          .isThrownBy(
              () ->
                  new DatabaseStart(target, LEDGER, MigrationMode.AUTO, LONG, true, () -> false)
                      .open())
          .withMessageContaining("rights: " + guest + " may not create or change the schema hapax")
          .withMessageContaining("GRANT CREATE ON DATABASE");
    } finally {
      database.execute("DROP ROLE " + guest);
    }
  }

  @Test
  @Tag("A6")
  @DisplayName("given a user who may not create roles, then its first start warns, and others not")
  void warnsWithoutRowLevelSecurity() throws Exception {
    var owner = "owner_" + ProcessHandle.current().pid();
    database.execute(
        "CREATE ROLE %1$s LOGIN PASSWORD 'test'; DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %%I TO %1$s', current_database()); END $$"
            .formatted(owner));
    try {
      var url = database.url().replaceFirst("\\?.*", "");
      var target = new JdbcTarget(new JdbcUrl(url), Optional.of(owner), Optional.of("test"));
      try (var _ =
          new DatabaseStart(target, LEDGER, MigrationMode.AUTO, LONG, true, () -> false).open()) {
        assertThat(logged("row-level security: off: " + owner)).hasSize(1);
      }
      var off =
          new LedgerConfig(
              4, 2, 256, Duration.ofDays(30), Duration.ofDays(365), RowLevelSecurity.OFF);
      try (var _ =
          new DatabaseStart(target, off, MigrationMode.AUTO, LONG, true, () -> false).open()) {
        assertThat(logged("row-level security")).hasSize(1);
      }
    } finally {
      database.execute("DROP OWNED BY %1$s CASCADE; DROP ROLE %1$s".formatted(owner));
    }
  }

  @Test
  @DisplayName("given a database on loopback, then its first start warns of nothing else")
  void warnsOfNothing() throws Exception {
    try (var _ = starting(database.url(), LONG, true).open()) {
      assertThat(logged("database, ").stream().filter(line -> !line.contains("fsync"))).isEmpty();
    }
  }

  @Test
  @DisplayName("given --migrate=off and no schema, then the server waits until it is migrated")
  void waitsForTheMigration() throws Exception {
    waitForTheMigration(database.url());
  }

  @Test
  @DisplayName(
      "given a database that is starting up and has no schema, then the server logs both reasons")
  void logsEachReason() throws Exception {
    try (var postgres = new StartingPostgres(database.url())) {
      waitForTheMigration(postgres.url());
      assertThat(logged("the database is starting")).hasSize(1);
      assertThat(logged("schema is missing")).hasSize(1);
    }
  }

  private void waitForTheMigration(String url) throws Exception {
    var target = new JdbcTarget(new JdbcUrl(url), Optional.empty(), Optional.empty());
    var failed = new AtomicBoolean();
    var waiting = new DatabaseStart(target, LEDGER, MigrationMode.OFF, LONG, true, failed::get);
    thread = "waiting for the migration";
    try (var threads =
        Executors.newSingleThreadExecutor(Thread.ofPlatform().name(thread).factory())) {
      var opened = threads.submit(waiting::open);
      try {
        Condition.await("it waits", () -> !logged("schema is missing").isEmpty());
        assertThat(database.query("SELECT to_regnamespace('hapax') IS NULL")).isEqualTo("t");
        Migrations.migrate(database.dataSource());
        try (var store = opened.get()) {
          assertThat(store.database()).isEqualTo(DatabaseState.WRITABLE);
        }
      } finally {
        failed.set(true);
      }
    }
  }

  @Test
  @DisplayName("given --migrate=off and no migration, then the server fails and says what to do")
  void refusesAnOldSchema() {
    var target = new JdbcTarget(new JdbcUrl(database.url()), Optional.empty(), Optional.empty());
    var start =
        new DatabaseStart(target, LEDGER, MigrationMode.OFF, Duration.ZERO, true, () -> false);
    assertThatIOException()
        .isThrownBy(start::open)
        .withMessageEndingWith(
            "its schema is missing: run `hapax migrate`, since this server does not migrate"
                + " (--migrate=off)");
  }
}
