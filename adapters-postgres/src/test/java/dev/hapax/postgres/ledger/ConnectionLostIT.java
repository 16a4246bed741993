package dev.hapax.postgres.ledger;

import static dev.hapax.postgres.ledger.TestLedgers.await;
import static dev.hapax.postgres.ledger.TestLedgers.key;
import static dev.hapax.postgres.ledger.TestLedgers.oneCommitter;
import static dev.hapax.postgres.ledger.TestLedgers.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.LedgerException.Unavailable;
import dev.hapax.postgres.ledger.PostgresProxy.Held;
import dev.hapax.postgres.ledger.PostgresProxy.Request;
import dev.hapax.postgres.ledger.PostgresProxy.Treatment;
import dev.hapax.testkit.ledger.Counter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever becomes of a connection, every outcome is the right one. */
@Tag("fault")
class ConnectionLostIT {
  private static final int COMMANDS = 5;
  private static TestLedgers ledgers;
  private static final AtomicInteger NAMES = new AtomicInteger();
  private PostgresProxy proxy;

  @BeforeAll
  static void start() {
    ledgers = new TestLedgers();
  }

  @AfterAll
  static void stop() {
    ledgers.close();
  }

  @BeforeEach
  void stand() {
    proxy = new PostgresProxy(ledgers.database().url());
  }

  @AfterEach
  void fall() {
    proxy.close();
  }

  private TestLedgers.Node node() {
    return ledgers.open(proxy.dataSource(), oneCommitter());
  }

  /** Treats one request so, and the others as they are. */
  private static final class Once implements Function<Request, Treatment> {
    private final int number;
    private final Function<Request, Treatment> treatment;
    private final AtomicInteger seen = new AtomicInteger();
    private volatile int statements = -1;

    Once(int number, Function<Request, Treatment> treatment) {
      this.number = number;
      this.treatment = treatment;
    }

    @Override
    public Treatment apply(Request request) {
      if (seen.getAndIncrement() != number) {
        return new Treatment.Pass();
      }
      statements = request.statements().size();
      return treatment.apply(request);
    }

    boolean wasReached() {
      return statements >= 0;
    }
  }

  /** Increments while requests are treated so, and checks all outcomes and what is stored. */
  private void incrementsAreRight(Function<Request, Treatment> rule, String what) {
    var key = key("swept-" + NAMES.incrementAndGet());
    try (var node = node()) {
      await(node.ledger().submit(Counter.read(key)));
      proxy.treat(rule);
      var outcomes = new ArrayList<CompletableFuture<Long>>();
      outcomes.add(node.ledger().submit(Counter.increment(key)));
      await(outcomes.getFirst());
      together(
          node.ledger(),
          () ->
              IntStream.range(1, COMMANDS)
                  .forEach(_ -> outcomes.add(node.ledger().submit(Counter.increment(key)))));
      assertThat(outcomes.stream().map(TestLedgers::await))
          .as(what)
          .containsExactlyElementsOf(LongStream.rangeClosed(1, COMMANDS).boxed().toList());
      assertThat(ledgers.value(key)).as(what).isEqualTo(COMMANDS);
    }
  }

  @Test
  @DisplayName(
      "a connection cut behind any statement of any request, answered or not, costs no outcome and doubles none")
  void cutAnywhere() {
    var points = 0;
    for (var request = 0; ; request++) {
      var size = 0;
      for (var statements = 0; statements <= size + 1; statements++) {
        var cut = new Treatment.Cut(statements);
        var once = new Once(request, _ -> cut);
        incrementsAreRight(
            once, String.format(Locale.ROOT, "cut at request %d behind %d", request, statements));
        if (!once.wasReached()) {
          assertThat(points).as("points swept").isGreaterThan(20);
          return;
        }
        size = once.statements;
        points++;
      }
    }
  }

  @Test
  @DisplayName("a backend terminated before any request costs no outcome and doubles none")
  void terminatedAnywhere() {
    for (var request = 0; ; request++) {
      var once =
          new Once(
              request,
              r -> {
                ledgers
                    .database()
                    .query(
                        String.format(Locale.ROOT, "SELECT pg_terminate_backend(%d)", r.backend()));
                return new Treatment.Pass();
              });
      incrementsAreRight(once, "terminated at request " + request);
      if (!once.wasReached()) {
        assertThat(request).as("requests swept").isGreaterThan(4);
        return;
      }
    }
  }

  @Test
  @DisplayName(
      "while a commit in doubt is being resolved the connection may be lost again, at any statement")
  void lostAgainWhileSettling() {
    for (var arrived : List.of(true, false)) {
      for (var second = 0; second < 5; second++) {
        for (var statements : List.of(0, 1, 9)) {
          lostTwice(arrived, second, statements);
        }
      }
    }
  }

  private void lostTwice(boolean arrived, int second, int statements) {
    var lost = new AtomicBoolean();
    var after = new Once(second, _ -> new Treatment.Cut(statements));
    incrementsAreRight(
        request -> {
          if (lost.get()) {
            return after.apply(request);
          }
          if (!request.commits()) {
            return new Treatment.Pass();
          }
          lost.set(true);
          return new Treatment.Cut(arrived ? 99 : 0);
        },
        String.format(
            Locale.ROOT,
            "commit arrived %s, then lost at %d behind %d",
            arrived,
            second,
            statements));
  }

  @Test
  @DisplayName(
      "a transaction found not committed never commits later, whatever has happened to its records since")
  void aLateCommitIsFencedOff() {
    var key = key("late");
    var held = new Held();
    var first = new AtomicBoolean(true);
    try (var node = node()) {
      await(node.ledger().submit(Counter.increment(key("registers"))));
      proxy.treat(
          request ->
              request.commits() && first.compareAndSet(true, false)
                  ? new Treatment.Hold(0, held)
                  : new Treatment.Pass());
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(1);
      // as it was before the transaction in doubt: only the receipt can tell that time has passed
      assertThat(await(node.ledger().submit(Counter.add(key, -1)))).isEqualTo(0);

      assertThat(held.goOn()).contains("HX001").contains("committer");
      assertThat(ledgers.value(key)).isZero();
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(1);
    }
  }

  @Test
  @DisplayName(
      "a transaction in doubt that still runs is waited for, others go on; when it commits, its outcomes stand")
  void aRunningTransactionCommits() {
    var key = key("running-commits");
    heldBeforeCommit(
        key,
        (node, held) -> {
          var outcome = node.ledger().submit(Counter.increment(key));
          awaitSettling(held);
          for (var i = 1; i <= 20; i++) {
            assertThat(await(node.ledger().submit(Counter.increment(key("beside-running")))))
                .isEqualTo(i);
          }
          assertThat(outcome).isNotDone();
          held.goOn();
          assertThat(await(outcome)).isEqualTo(1);
          assertThat(ledgers.value(key)).isEqualTo(1);
        });
  }

  @Test
  @DisplayName(
      "a transaction in doubt that still runs is waited for; when it dies, it is decided again")
  void aRunningTransactionDies() {
    var key = key("running-dies");
    heldBeforeCommit(
        key,
        (node, held) -> {
          var outcome = node.ledger().submit(Counter.increment(key));
          awaitSettling(held);
          held.cut();
          assertThat(await(outcome)).isEqualTo(1);
          assertThat(ledgers.value(key)).isEqualTo(1);
        });
  }

  private interface Script {
    void run(TestLedgers.Node node, Held held);
  }

  /** Loses the connection when all of the next batch is executed but its commit. */
  private void heldBeforeCommit(Counter.Key key, Script script) {
    var held = new Held();
    var first = new AtomicBoolean(true);
    try (var node = node()) {
      await(node.ledger().submit(Counter.increment(key("registers"))));
      proxy.treat(
          request ->
              request.commits() && first.compareAndSet(true, false)
                  ? new Treatment.Hold(request.statements().size() - 1, held)
                  : new Treatment.Pass());
      script.run(node, held);
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(2);
    }
  }

  private static void awaitSettling(Held held) {
    held.awaitReached();
    await(
        "a session waits for the receipt",
        () -> ledgers.hasSession("wait_event_type = 'Lock' AND query ILIKE '%committer%'"));
  }

  @Test
  @DisplayName(
      "a commit that cannot be resolved in time is unavailable, and does not block the commands after it")
  void notSettledInTime() {
    var key = key("unsettled");
    var held = new Held();
    var first = new AtomicBoolean(true);
    var settings = oneCommitter().withCommandTimeout(Duration.ofSeconds(4));
    try (var node = ledgers.open(proxy.dataSource(), settings)) {
      await(node.ledger().submit(Counter.increment(key("registers"))));
      proxy.treat(
          request ->
              request.commits() && first.compareAndSet(true, false)
                  ? new Treatment.Hold(request.statements().size() - 1, held)
                  : new Treatment.Pass());
      var unknown = node.ledger().submit(Counter.increment(key));

      assertThatThrownBy(() -> await(unknown)).hasCauseInstanceOf(Unavailable.class);
      assertThat(await(node.ledger().submit(Counter.increment(key("beside-unsettled")))))
          .isEqualTo(1);
      held.goOn();
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(2);
    }
  }

  @Test
  @DisplayName(
      "a connection that falls silent is given up: commands are answered, and others go on")
  void silence() {
    var settings = oneCommitter().withCommandTimeout(Duration.ofSeconds(3));
    try (var node = ledgers.open(proxy.dataSource(), settings)) {
      var key = key("silent");
      await(node.ledger().submit(Counter.increment(key)));
      proxy.treat(_ -> new Treatment.Silence());
      var unheard = node.ledger().submit(Counter.increment(key));
      var queued = node.ledger().submit(Counter.increment(key));

      assertThatThrownBy(() -> await(unheard)).hasCauseInstanceOf(Unavailable.class);
      assertThatThrownBy(() -> await(queued)).hasCauseInstanceOf(Unavailable.class);
      proxy.treat(_ -> new Treatment.Pass());
      succeedsAgain(node, Counter.read(key));
      assertThat(ledgers.value(key)).isEqualTo(1);
    }
  }

  private static void succeedsAgain(TestLedgers.Node node, Command<?> command) {
    await(
        "commands succeed again",
        () -> node.ledger().submit(command).handle((_, failure) -> failure == null).join());
  }

  @Test
  @DisplayName("given a deleted receipt, then the next batch inserts one")
  void aDeletedReceipt() {
    try (var node = node()) {
      var key = key("receipt-deleted");
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(1);
      ledgers.database().execute("DELETE FROM hapax.committer");
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(2);
      assertThat(await(node.ledger().submit(Counter.increment(key)))).isEqualTo(3);
    }
  }

  @Test
  @DisplayName(
      "an error after the commit, when the connection is given back, does not undo or double it")
  void theConnectionFailsWhenGivenBack() {
    var key = key("given-back");
    var failing = new AtomicBoolean(true);
    try (var node =
        ledgers.open(
            ledgers.database().dataSource(),
            oneCommitter(),
            List.copyOf(CounterTable.ALL),
            pool -> failingClose(pool, failing))) {
      var outcomes =
          IntStream.range(0, 20)
              .mapToObj(_ -> await(node.ledger().submit(Counter.increment(key))))
              .toList();
      failing.set(false);

      assertThat(outcomes)
          .containsExactlyElementsOf(LongStream.rangeClosed(1, 20).boxed().toList());
      assertThat(ledgers.value(key)).isEqualTo(20);
    }
  }

  private static DataSource failingClose(DataSource pool, AtomicBoolean failing) {
    return around(
        DataSource.class,
        pool,
        result ->
            result instanceof Connection connection ? failingClose(connection, failing) : result);
  }

  private static Connection failingClose(Connection connection, AtomicBoolean failing) {
    return (Connection)
        Proxy.newProxyInstance(
            ConnectionLostIT.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (_, method, arguments) -> {
              var result = call(connection, method, arguments);
              if (method.getName().equals("close") && failing.get()) {
                throw new SQLException("not well closed", "08003");
              }
              return result;
            });
  }

  private static <T> T around(Class<T> type, T inner, Function<Object, Object> result) {
    return type.cast(
        Proxy.newProxyInstance(
            ConnectionLostIT.class.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> result.apply(call(inner, method, arguments))));
  }

  private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @Test
  @DisplayName(
      "connections killed again and again under load: commits in doubt turn out both ways, and no outcome is lost, doubled or wrong")
  void killedUnderLoad() {
    killUnderLoad(15, 150);
  }

  @Test
  @Tag("soak")
  @DisplayName("the same for long")
  void killedUnderLoadForLong() {
    killUnderLoad(1_000, 5_000);
  }

  private static void killUnderLoad(int atLeast, int atMost) {
    var log = new ListAppender<ILoggingEvent>();
    log.start();
    var logger = (Logger) LoggerFactory.getLogger(CommitResolver.class);
    var level = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
    var keys =
        IntStream.range(0, 4)
            .mapToObj(i -> key(String.format(Locale.ROOT, "killed-%d-%d", atLeast, i)))
            .toList();
    var kills = 0;
    try (var one = ledgers.open(ledgers.database().dataSource(), PostgresLedger.Settings.DEFAULT);
        var two = ledgers.open(ledgers.database().dataSource(), PostgresLedger.Settings.DEFAULT)) {
      var load = new Load(List.of(one.ledger(), two.ledger(), two.ledger()), keys);
      for (var round = 0; round < atMost; round++) {
        load.awaitMore(300);
        kills += ledgers.database().killConnections();
        if (round >= atLeast
            && resolved(log, "NOT_COMMITTED") > 0
            && resolved(log, ": COMMITTED") > 0) {
          break;
        }
      }
      load.stop();
      load.assertNothingLostOrDoubled(ledgers);
    } finally {
      logger.detachAppender(log);
      logger.setLevel(level);
    }

    assertThat(kills).isGreaterThan(atLeast);
    assertThat(resolved(log, ": COMMITTED")).isPositive();
    assertThat(resolved(log, "NOT_COMMITTED")).isPositive();
  }

  private static long resolved(ListAppender<ILoggingEvent> log, String fate) {
    return List.copyOf(log.list).stream()
        .map(ILoggingEvent::getFormattedMessage)
        .filter(message -> message.endsWith(fate))
        .count();
  }
}
