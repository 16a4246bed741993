package dev.hapax.postgres.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.postgres.sql.ShippedStatements.Shipped;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rules for statements that a distributed database can send to the one node that has the schema: it
 * refuses others, or executes them wrongly without an error.
 */
class StatementRulesTest {
  private static final Pattern WRITE =
      Pattern.compile("\\b(insert into|(?<!for |do |key )update|delete from)\\b");

  private static final Pattern UPSERT = Pattern.compile("on conflict .*\\bdo update\\b");
  private static final Pattern SET =
      Pattern.compile("(?<=\\bset )(.*?)(?=\\b(?:from|where|returning)\\b|$)");
  private static final Pattern CASE = Pattern.compile("\\bcase\\b.*?\\bend\\b");
  private static final Pattern COALESCE = Pattern.compile("\\bcoalesce\\(#\\d+\\)");
  private static final Pattern CALL = Pattern.compile("(?<![\\w.\"])([a-z_]\\w*)\\s*\\(");
  private static final Pattern CAST = Pattern.compile("(\\S+)::(\\w+(?:\\[])?)");

  /** Not of a parameter or null, which a statement has as a value. */
  private static final Pattern CAST_OF = Pattern.compile("\\bcast\\((?!null |\\?)[^()]*\\)");

  /** An array of texts is cast one by one; the text of an array is read by settings. */
  private static final Pattern OF_TEXTS = Pattern.compile("string_to_array\\([^()]*\\)::\\w+\\[]$");

  private static final Pattern INTERVAL = Pattern.compile("[-+] (?:[\\w.?]+ \\* )?interval\\b");

  /** Immutable functions, and words in front of parentheses. */
  private static final Set<String> IMMUTABLE =
      Set.of(
          "to_timestamp",
          "string_to_array",
          "octet_length",
          "coalesce",
          "nullif",
          "cast",
          "any",
          "array",
          "in",
          "and",
          "or",
          "not",
          "when",
          "then",
          "else",
          "case",
          "select");

  /** Casts that no setting of a session changes. */
  private static final Set<String> IMMUTABLE_CASTS =
      Set.of("float8", "int", "integer", "bigint", "text");

  /** Metrics count what is there; partitions belong to days. */
  private static final Pattern SEARCHES =
      Pattern.compile("(?:read/(?!monitoring)|maintenance/(?!result_partitions)).*");

  private static final Pattern BY_KEY = Pattern.compile("workspace = \\?|unnest\\(\\?");

  /** Whether a table has rows, or some behind a page. */
  private static final Pattern PROBE =
      Pattern.compile(
          "SELECT (?:ctid )?FROM hapax\\.\\w+ (?:WHERE ctid > \\?::tid|ORDER BY [\\w, ]+) LIMIT 1");

  private static void assertNone(
      Stream<Shipped> statements, Function<SqlTree, Stream<String>> broken) {
    assertThat(
            statements
                .flatMap(
                    statement ->
                        broken
                            .apply(statement.tree())
                            .map(part -> "%s: %s".formatted(statement.place(), part)))
                .distinct())
        .isEmpty();
  }

  private static Stream<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group);
  }

  @Test
  @DisplayName(
      "given a search of all workspaces, then it leaves those alone that are in another cell, or on"
          + " their way")
  void moved() {
    assertThat(
            ShippedStatements.golden().stream()
                .filter(statement -> SEARCHES.matcher(statement.place()).matches())
                .map(Shipped::text)
                .filter(text -> text.contains("hapax.") && !text.contains("hapax.scope"))
                .filter(text -> !BY_KEY.matcher(text).find() && !PROBE.matcher(text).matches())
                .filter(text -> !text.contains("hapax.moved")))
        .isEmpty();
  }

  @Test
  @DisplayName("given a statement with a WITH, then it inserts nothing, and has one write at most")
  void with() {
    assertNone(ShippedStatements.golden().stream(), StatementRulesTest::writesInWith);
  }

  private static Stream<String> writesInWith(SqlTree statement) {
    var text = statement.whole();
    var writes = all(WRITE, text).toList();
    return text.startsWith("with ") && (writes.size() > 1 || text.contains("insert into"))
        ? writes.stream()
        : Stream.empty();
  }

  @Test
  @DisplayName("given a statement, then it does not leave it to a conflict whether it updates")
  void upserts() {
    assertNone(ShippedStatements.golden().stream(), StatementRulesTest::upserts);
  }

  private static Stream<String> upserts(SqlTree statement) {
    return all(UPSERT, statement.whole());
  }

  @Test
  @DisplayName("given a write, then SET, CASE and COALESCE have only what is immutable")
  void assignments() {
    assertNone(ShippedStatements.golden().stream(), StatementRulesTest::changing);
  }

  /** The parts of expressions that are not known to be immutable. */
  private static Stream<String> changing(SqlTree statement) {
    return WRITE.matcher(statement.whole()).find()
        ? statement
            .levels()
            .flatMap(level -> expressions(level.text()).map(level::part).map(SqlTree::whole))
            .flatMap(StatementRulesTest::changing)
        : Stream.empty();
  }

  private static Stream<String> expressions(String text) {
    return Stream.of(
            text.startsWith("update ") ? all(SET, text) : Stream.<String>empty(),
            all(CASE, text),
            all(COALESCE, text))
        .flatMap(found -> found);
  }

  private static Stream<String> changing(String expression) {
    var calls =
        CALL.matcher(expression)
            .results()
            .filter(call -> !IMMUTABLE.contains(call.group(1)))
            .map(MatchResult::group);
    var casts =
        CAST.matcher(expression)
            .results()
            .filter(cast -> !IMMUTABLE_CASTS.contains(cast.group(2)))
            .filter(cast -> !OF_TEXTS.matcher(expression.substring(0, cast.end())).find())
            .map(MatchResult::group);
    return Stream.of(calls, casts, all(CAST_OF, expression), all(INTERVAL, expression))
        .flatMap(found -> found);
  }

  @Test
  @DisplayName("given an INSERT of a SELECT, then it reads arrays that were sent, and no table")
  void inserts() {
    assertNone(ShippedStatements.golden().stream(), StatementRulesTest::insertsFromTables);
  }

  private static Stream<String> insertsFromTables(SqlTree statement) {
    return statement.whole().contains("insert into ")
        ? statement.levels().flatMap(JoinedTables::read).filter(item -> item.startsWith("hapax."))
        : Stream.empty();
  }

  @Test
  @DisplayName("given tables in a FROM, then a condition joins each to another one")
  void joins() {
    assertNone(
        Stream.concat(ShippedStatements.golden().stream(), ShippedStatements.functions().stream()),
        JoinedTables::apart);
  }

  private static Stream<String> broken(String statement) {
    var tree = SqlTree.of(statement);
    return Stream.<Function<SqlTree, Stream<String>>>of(
            StatementRulesTest::writesInWith,
            StatementRulesTest::upserts,
            StatementRulesTest::changing,
            StatementRulesTest::insertsFromTables,
            JoinedTables::apart)
        .flatMap(rule -> rule.apply(tree));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with w as (insert into hapax.a (id) values (?) returning 1) select count(*) from w",
        "with w as (delete from hapax.a returning 1) delete from hapax.b",
        "insert into hapax.a (id) values (?) on conflict (id) do update set n = excluded.n",
        "insert into hapax.a (id) select b.id from hapax.b where b.id = ?",
        "update hapax.a set at = now() where id = ?",
        "update hapax.a set at = u.at + interval '1 s' from (select ? as at) u where a.id = u.id",
        "update hapax.a set ids = u.ids::uuid[] from (select ? as id) u where a.id = u.id",
        "update hapax.a set ids = cast(u.ids as uuid[]) from (select ? as id) u where a.id = u.id",
        "update hapax.a set at = case when a.at > now() then a.at end where a.id = ?",
        "update hapax.a set n = coalesce(u.n, random()) from (select ?) u where a.id = u.id",
        "select 1 from hapax.a, hapax.b where a.id = ?",
        "select 1 from hapax.a join hapax.b on true",
        "select 1 from unnest(?) k(id), lateral (select 1 from hapax.a) r",
        "delete from hapax.a using hapax.b",
        "update hapax.a set n = 1 from hapax.b where b.id = ?"
      })
  @DisplayName("given a statement that breaks a rule, then it is refused")
  void refuses(String statement) {
    assertThat(broken(statement)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with w as (delete from hapax.a where id = ? returning 1) select count(*) from w",
        "insert into hapax.a (id) values (?) on conflict do nothing",
        "insert into hapax.a (id) select u.id from (select unnest(?::uuid[]) as id) u",
        "update hapax.a set ids = string_to_array(u.ids, ',')::uuid[] from (select ?) u"
            + " where a.id = u.id",
        "update hapax.a set at = case when a.at - u.at <= u.n * interval '1 us' then a.at"
            + " else u.at end from (select ?) u where a.id = u.id",
        "select 1 from hapax.a left join hapax.b on b.id = a.id",
        "select 1 from hapax.a, hapax.b b2 where (a.n = ? and (a.id = b2.id))",
        "select 1 from hapax.a, (select now() as at) t where a.at < t.at",
        "select 1 from unnest(?) k(id), lateral (select 1 from hapax.a where a.id = k.id) r",
        "delete from hapax.a using unnest(?) u(id) where a.id = u.id",
        "select extract(epoch from a.at) from hapax.a where a.n is distinct from ?"
      })
  @DisplayName("given a statement that breaks no rule, then it is allowed")
  void allows(String statement) {
    assertThat(broken(statement)).isEmpty();
  }

  /** Functions that have another result, or effect, on each node. */
  private static final Pattern OF_NODE =
      Pattern.compile(
          "\\b(set_config|pg_(?:try_)?advisory\\w*|pg_notify|nextval|pg_current_\\w+"
              + "|pg_relation_size|clock_timestamp)\\(");

  /**
   * A place of such functions.
   *
   * @param place a file, or a function; a star stands for any end
   */
  private record OfNode(String place, Set<String> functions, String reason) {
    boolean isOf(Shipped statement, String function) {
      var isHere =
          place.endsWith("*")
              ? statement.place().startsWith(place.substring(0, place.length() - 1))
              : statement.place().equals(place);
      return isHere && functions.contains(function);
    }
  }

  private static OfNode place(String place, String reason, String... functions) {
    return new OfNode(place, Set.of(functions), reason);
  }

  private static final List<OfNode> PLACES =
      List.of(
          place(
              "read/*",
              "a read is no transaction: its session keeps the scope for the next one",
              "set_config"),
          place("read/*", "the answer tells how long something lasts from now", "clock_timestamp"),
          place(
              "read/intents.sql",
              "compared with the transactions of the rows; a full scan finds the rest",
              "pg_current_snapshot"),
          place("V011__intent.sql", "as the scan of intents", "pg_current_xact_id"),
          place("ledger/batch.sql", "the time of its decisions", "clock_timestamp"),
          place(
              "table/*",
              "locks of keys, for servers that are connected to the same node",
              "pg_advisory_xact_lock",
              "pg_advisory_xact_lock_shared"),
          place(
              "maintenance/*",
              "saves work: two servers may purge at once",
              "pg_try_advisory_lock",
              "pg_advisory_unlock"),
          place("maintenance/result_partitions.sql", "the day", "clock_timestamp"),
          place("function drop_result_partition", "the day", "clock_timestamp"),
          place(
              "function apply_sql_grants",
              "roles and their rights are changed on one node",
              "pg_advisory_xact_lock"),
          place(
              "function database_identity",
              "the node is what it tells apart",
              "pg_current_wal_lsn"),
          place("function *", "the time that is stored, in no UPDATE", "clock_timestamp"),
          place("function next_intent", "assigned, in no statement with a table", "nextval"),
          place("function start_run", "as next_intent", "nextval"),
          place("function signal_run", "as next_intent", "nextval"),
          place("function signal_hook", "as next_intent", "nextval"),
          place("V001__ledger.sql", "a default: the time that is stored", "clock_timestamp"),
          place("V002__node.sql", "defaults, and the view of live servers", "clock_timestamp"));

  @Test
  @DisplayName("given functions that belong to a node, then they are only in places with a reason")
  void functionsOfNodes() {
    var unknown = new TreeSet<String>();
    var used = new ArrayList<OfNode>();
    for (var statement : everything()) {
      OF_NODE
          .matcher(statement.text().toLowerCase(Locale.ROOT))
          .results()
          .map(call -> call.group(1))
          .forEach(
              function -> {
                var places = PLACES.stream().filter(p -> p.isOf(statement, function)).toList();
                used.addAll(places);
                if (places.isEmpty()) {
                  unknown.add(statement.place() + ": " + function);
                }
              });
    }
    assertThat(unknown).isEmpty();
    assertThat(PLACES).as("places without such functions").allMatch(used::contains);
  }

  private static List<Shipped> everything() {
    return Stream.of(
            ShippedStatements.golden(),
            ShippedStatements.functions(),
            ShippedStatements.definitions())
        .flatMap(List::stream)
        .toList();
  }
}
