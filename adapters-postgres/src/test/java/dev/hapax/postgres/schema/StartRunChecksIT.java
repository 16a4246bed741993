package dev.hapax.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.testkit.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code hapax.start_run} posts most calls without the function that checks all arguments. */
@Tag("D8")
class StartRunChecksIT {
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

  private static final List<String> RETENTIONS =
      List.of("0", "1 microsecond", "365 days", "365 days 1 microsecond", "-1 s");

  private static final List<String> RUNS = List.of("", "run_1", "run_01h455vb4pex5vsknk084sn02q");

  /** The value of most calls comes first. */
  private static final Map<String, List<String>> ARGUMENTS = arguments();

  private final Random random = new Random(1);

  private static String nested(String open, String close, int levels) {
    return open.repeat(levels) + close.repeat(levels);
  }

  private static Map<String, List<String>> arguments() {
    var arguments = new LinkedHashMap<String, List<String>>();
    arguments.put("text workspace", List.of("", NULL, "default", "granted", "other", "none"));
    arguments.put("text definition", with("order", NAMES));
    arguments.put("jsonb input", with("{\"cents\": 4200}", PAYLOADS));
    arguments.put("text version", with(NULL, NAMES));
    arguments.put("text idempotency_key", with(NULL, NAMES));
    arguments.put("interval key_retention", with(NULL, RETENTIONS));
    arguments.put("text on_key_mismatch", List.of("error", "return_existing", NULL, "", "E"));
    arguments.put("text token", with(NULL, NAMES));
    arguments.put("interval token_retention", with(NULL, RETENTIONS));
    arguments.put(
        "text on_conflict",
        List.of("reject", "use_existing", "signal_existing", "supersede", NULL, "", "REJECT"));
    arguments.put("text expected_owner", with(NULL, RUNS));
    arguments.put("text signal_type", with(NULL, NAMES));
    arguments.put("jsonb signal_payload", with(NULL, PAYLOADS));
    arguments.put("text signal_id", with(NULL, NAMES));
    arguments.put(
        "timestamptz start_at",
        List.of(NULL, "infinity", "-infinity", "2020-01-01 00:00:00Z", "2999-01-01"));
    arguments.put(
        "jsonb labels", List.of(NULL, "{}", "[]", "null", "{\"a\": \"b\"}", "{\"a\": 1}"));
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
          (session_user, 'default', '{start_run}', now(), 'test'),
          (session_user, 'granted', '{signal_run,start_run}', now(), 'test'),
          ('no such role', 'granted', '{start_run}', now(), 'test'),
          ('no such role', 'none', '{start_run}', now(), 'test'),
          (session_user, 'other', '{signal_run}', now(), 'test')
        """);
  }

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  @Test
  @DisplayName(
      "given any arguments, then start_run posts the row, or raises the error, of the function that"
          + " checks them all")
  void same() throws SQLException {
    var posted = 0;
    try (var connection = DATABASE.connect()) {
      connection.setAutoCommit(false);
      for (var call = 0; call < CALLS; call++) {
        var arguments = ARGUMENTS.values().stream().map(this::choose).toList();
        var checked = outcome(connection, "start_checked_run", arguments);
        assertThat(outcome(connection, "start_run", arguments))
            .as("%s", arguments)
            .isEqualTo(checked);
        posted += checked.startsWith("posted") ? 1 : 0;
      }
    }
    assertThat(posted).isBetween(CALLS / 5, CALLS * 4 / 5);
  }

  private String choose(List<String> values) {
    return values.get(random.nextInt(8) == 0 ? random.nextInt(values.size()) : 0);
  }

  /** The row without what each call draws, or the error; nothing stays. */
  private static String outcome(Connection connection, String function, List<String> arguments)
      throws SQLException {
    var types =
        ARGUMENTS.keySet().stream()
            .map(argument -> "?::" + argument.substring(0, argument.indexOf(' ')))
            .collect(Collectors.joining(", "));
    try (var statement =
            connection.prepareStatement("SELECT hapax.%s(%s)".formatted(function, types));
        var reading =
            connection.prepareStatement(
                """
                SELECT to_jsonb(i) - '{id,seq,posted_at,xid,signal_id}'::text[]
                  || jsonb_build_object('signal_id', replace(signal_id, ?, 'ticket'))
                FROM hapax.inbox i WHERE id = hapax.parse_id('run', ?)
                """)) {
      for (var i = 0; i < arguments.size(); i++) {
        statement.setString(i + 1, arguments.get(i).equals(NULL) ? null : arguments.get(i));
      }
      try (var ticket = statement.executeQuery()) {
        ticket.next();
        reading.setString(1, ticket.getString(1));
        reading.setString(2, ticket.getString(1));
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
  @DisplayName("given the arguments of most calls, then start_run does not need the other function")
  void fast() throws SQLException {
    try (var connection = DATABASE.connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("DROP FUNCTION hapax.start_checked_run");
      for (var call :
          List.of(
              "'', 'order'",
              "'granted', 'order', jsonb_build_object('text', repeat('x', 1000))",
              "'', 'order', '{\"a\": 1}', idempotency_key => 'order/4711', token => 'order/4711'")) {
        var ticket = statement.executeQuery("SELECT hapax.start_run(%s)".formatted(call));
        assertThat(ticket.next()).isTrue();
        assertThat(ticket.getString(1)).startsWith("run_");
      }
      connection.rollback();
    }
  }

  @Test
  @DisplayName("given an inbox that may be full, then start_run counts it, and posts if it is not")
  void counts() throws SQLException {
    DATABASE.execute("UPDATE hapax.inbox_count SET posted = 2000000");
    assertThat(DATABASE.query("SELECT hapax.start_run('', 'order')")).startsWith("run_");
    assertThat(DATABASE.query("SELECT posted FROM hapax.inbox_count")).isEqualTo("0");
  }
}
