package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions that post most calls without the function that checks all arguments. */
@Tag("D8")
@Tag("long")
class IntentChecksIT {
  private static final TestDatabase DATABASE = TestDatabase.create();
  private static final int CALLS = 4_000;

  /** An argument that is null. */
  private static final String NULL = "(null)";

  /** Texts at the bounds of what a name may be: characters, bytes, control characters. */
  private static final List<String> NAMES =
      List.of(
          NULL,
          "",
          "a",
          " ",
          "%",
          "x".repeat(127),
          "x".repeat(128),
          "x".repeat(255),
          "x".repeat(256),
          "é".repeat(127),
          "é".repeat(128),
          "é".repeat(255),
          "é".repeat(256),
          "\uD83D\uDE00".repeat(64),
          "a\nb",
          "\u0001",
          "\u001F",
          "\u007F",
          "\u0080",
          "\u009F",
          "\u00A0",
          "e\u0301",
          "'); DROP TABLE hapax.inbox; --");

  private static final List<String> PAYLOADS =
      List.of(
          NULL,
          "null",
          "{}",
          "\"\u00e9\"",
          "{\"b\": 1, \"a\": 1.50, \"a\": 2}",
          nested("[", "]", 63),
          nested("[", "]", 64),
          nested("[", "]", 65),
          nested("[", "]", 66),
          nested("{\"a\":", "}", 64).replace(":}", ":1}"),
          nested("{\"a\":", "}", 65).replace(":}", ":1}"),
          "\"" + "x".repeat(126) + "\"",
          "\"" + "x".repeat(127) + "\"",
          "\"" + "x".repeat(128) + "\"",
          "\"" + "x".repeat(262_142) + "\"",
          "\"" + "x".repeat(262_143) + "\"");

  private static final List<String> WORKSPACES =
      List.of("", NULL, "default", "granted", "other", "none");

  private static final List<String> RETENTIONS =
      List.of("0", "1 microsecond", "365 days", "365 days 1 microsecond", "1 year", "-1 s");

  private static final String RUN = "run_01h455vb4pex5vsknk084sn02q";
  private static final List<String> RUNS =
      List.of(
          "",
          NULL,
          "run_1",
          RUN,
          RUN + "0",
          RUN.toUpperCase(Locale.ROOT),
          "intent_01h455vb4pex5vsknk084sn02q",
          "run_00000000000000000000000000",
          "run_7zzzzzzzzzzzzzzzzzzzzzzzzz",
          "run_80000000000000000000000000",
          "run_01h455vb4pex5vsknk084sn02u");

  private static final Door START =
      new Door("start_run", "start_checked_run", "run", startArguments());
  private static final Door SIGNAL =
      new Door(
          "signal_run", "signal_checked_run", "intent", signalArguments("text run_id", RUN, RUNS));
  private static final Door SIGNAL_HOOK =
      new Door(
          "signal_hook",
          "signal_checked_hook",
          "intent",
          signalArguments("text token", "t", NAMES));

  private final Random random = new Random(1);

  /**
   * A function that posts.
   *
   * @param checked the function that checks all arguments
   * @param ticket the prefix of what both return
   * @param arguments their values; that of most calls comes first
   */
  record Door(String name, String checked, String ticket, Map<String, List<String>> arguments) {}

  private static String nested(String open, String close, int levels) {
    return open.repeat(levels) + close.repeat(levels);
  }

  private static Map<String, List<String>> signalArguments(
      String target, String most, List<String> targets) {
    var arguments = new LinkedHashMap<String, List<String>>();
    arguments.put("text workspace", WORKSPACES);
    arguments.put(target, with(most, targets));
    arguments.put("text type", with("paid", NAMES));
    arguments.put("jsonb payload", with("{\"cents\": 4200}", PAYLOADS));
    arguments.put("text signal_id", with(NULL, NAMES));
    return arguments;
  }

  private static Map<String, List<String>> startArguments() {
    var arguments = new LinkedHashMap<String, List<String>>();
    arguments.put("text workspace", WORKSPACES);
    arguments.put("text definition", with("order", NAMES));
    arguments.put("jsonb input", with("{\"cents\": 4200}", PAYLOADS));
    arguments.put("text version", with(NULL, NAMES));
    arguments.put("text idempotency_key", with(NULL, NAMES));
    arguments.put("interval key_retention", with(NULL, RETENTIONS));
    arguments.put(
        "text on_key_mismatch",
        List.of("error", "return_existing", "restart_failed", NULL, "", "E"));
    arguments.put("text token", with(NULL, NAMES));
    arguments.put("interval token_retention", with(NULL, RETENTIONS));
    arguments.put(
        "text on_conflict",
        List.of(
            "reject", "use_existing", "signal_existing", "supersede", "queue", NULL, "", "REJECT"));
    arguments.put("text expected_owner", with(NULL, RUNS));
    arguments.put("text signal_type", with(NULL, NAMES));
    arguments.put("jsonb signal_payload", with(NULL, PAYLOADS));
    arguments.put("text signal_id", with(NULL, NAMES));
    arguments.put(
        "timestamptz start_at",
        List.of(NULL, "infinity", "-infinity", "2020-01-01 00:00:00Z", "2999-01-01"));
    arguments.put(
        "jsonb labels", List.of(NULL, "{}", "[]", "null", "{\"a\": \"b\"}", "{\"a\": 1}"));
    arguments.put("integer queue_limit", List.of(NULL, "1", "10000", "10001", "0", "-1"));
    return arguments;
  }

  private static List<String> with(String first, List<String> others) {
    var all = new ArrayList<String>();
    all.add(first);
    all.addAll(others);
    return all;
  }

  @BeforeAll
  static void migrate() {
    Migrations.migrate(DATABASE.dataSource());
    DATABASE.execute(
        """
        INSERT INTO hapax.sql_grant VALUES
          (session_user, 'default', '{start_run,signal_run,signal_hook}', now(), 'test', session_user::regrole),
          (session_user, 'granted', '{cancel_run,signal_hook,signal_run,start_run}', now(), 'test', session_user::regrole),
          ('no such role', 'granted', '{start_run,signal_run,signal_hook}', now(), 'test', 0),
          ('no such role', 'none', '{start_run,signal_run,signal_hook}', now(), 'test', 0),
          (session_user, 'other', '{cancel_run}', now(), 'test', session_user::regrole);
        SELECT hapax.apply_sql_grants()
        """);
  }

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  private static Stream<Door> doors() {
    return Stream.of(START, SIGNAL, SIGNAL_HOOK);
  }

  @ParameterizedTest
  @MethodSource("doors")
  @DisplayName(
      "given any arguments, then a function posts the row, or raises the error, of the function"
          + " that checks them all")
  void same(Door door) throws SQLException {
    var posted = 0;
    try (var connection = DATABASE.connect()) {
      connection.setAutoCommit(false);
      for (var call = 0; call < CALLS; call++) {
        var arguments = door.arguments().values().stream().map(this::choose).toList();
        var checked = outcome(connection, door, door.checked(), arguments);
        assertThat(outcome(connection, door, door.name(), arguments))
            .as("%s", arguments)
            .isEqualTo(checked);
        posted += checked.startsWith("posted") ? 1 : 0;
      }
    }
    assertThat(posted).isBetween(CALLS / 5, CALLS * 9 / 10);
  }

  private String choose(List<String> values) {
    return values.get(random.nextInt(8) == 0 ? random.nextInt(values.size()) : 0);
  }

  /** The row without what each call draws, or the error; nothing stays. */
  private static String outcome(
      Connection connection, Door door, String function, List<String> arguments)
      throws SQLException {
    var types =
        door.arguments().keySet().stream()
            .map(argument -> "?::" + argument.substring(0, argument.indexOf(' ')))
            .collect(Collectors.joining(", "));
    try (var statement =
            connection.prepareStatement("SELECT hapax.%s(%s)".formatted(function, types));
        var reading =
            connection.prepareStatement(
                """
                SELECT to_jsonb(i) - '{id,seq,posted_at,xid,signal_id}'::text[]
                  || jsonb_build_object('signal_id', replace(signal_id, ?, 'ticket'))
                FROM hapax.inbox i WHERE id = hapax.parse_id(?, ?)
                """)) {
      for (var i = 0; i < arguments.size(); i++) {
        statement.setString(i + 1, arguments.get(i).equals(NULL) ? null : arguments.get(i));
      }
      try (var ticket = statement.executeQuery()) {
        ticket.next();
        reading.setString(1, ticket.getString(1));
        reading.setString(2, door.ticket());
        reading.setString(3, ticket.getString(1));
      }
      try (var row = reading.executeQuery()) {
        row.next();
        return "posted " + row.getString(1);
      }
    } catch (SQLException e) {
      var lines =
          String.valueOf(e.getMessage()).lines().filter(line -> !line.contains("Where:")).limit(2);
      return e.getSQLState() + " " + lines.collect(Collectors.joining(" "));
    } finally {
      connection.rollback();
    }
  }

  @Test
  @DisplayName("given the arguments of most calls, then no function needs the one that checks all")
  void fast() throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (var door : doors().toList()) {
        statement.execute("DROP FUNCTION hapax." + door.checked());
      }
      for (var call :
          List.of(
              "start_run('', 'order')",
              "start_run('granted', 'order', jsonb_build_object('text', repeat('x', 1000)))",
              "start_run('', 'order', '{\"a\": 1}', idempotency_key => 'k/4711', token => 't/4711')",
              "signal_run('', '%s', 'paid')".formatted(RUN),
              "signal_run('granted', '%s', NULL, jsonb_build_object('text', repeat('x', 1000)))"
                  .formatted(RUN),
              "signal_hook('', 't/4711', 'paid', '{\"a\": 1}', signal_id => 's/4711')",
              "signal_hook('', 't/4711', '', jsonb_build_object('text', repeat('x', 1000)))")) {
        var ticket = statement.executeQuery("SELECT hapax." + call);
        assertThat(ticket.next()).isTrue();
        assertThat(ticket.getString(1)).startsWith(call.startsWith("start") ? "run_" : "intent_");
      }
      connection.rollback();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start_run('', 'order')",
        "signal_run('', 'run_01h455vb4pex5vsknk084sn02q', 'paid')",
        "signal_hook('', 't/4711', 'paid')"
      })
  @DisplayName("given an inbox that may be full, then a function counts it, and posts if it is not")
  void counts(String call) {
    DATABASE.execute("TRUNCATE hapax.inbox; UPDATE hapax.inbox_count SET posted = 2000000");
    assertThat(DATABASE.query("SELECT hapax." + call)).contains("_");
    assertThat(DATABASE.query("SELECT posted FROM hapax.inbox_count")).isEqualTo("0");
  }
}
