package dev.hapax.postgres.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the tables of a statement that no condition joins to the others of their FROM. */
final class JoinedTables {
  private static final Pattern FROM =
      Pattern.compile(
          "\\b(?:from|using) (.*?)"
              + "(?=\\b(?:from|using|where|group by|order by|limit|offset|fetch|for update"
              + "|returning|loop|then|into|on conflict)\\b|$)");

  private static final Pattern WHERE =
      Pattern.compile(
          "\\bwhere (.*?)"
              + "(?=\\b(?:group by|order by|limit|offset|fetch|for|returning|loop|then)\\b|$)");

  private static final Pattern WRITTEN =
      Pattern.compile("\\b(?:update|delete from) (hapax\\.\\w+(?: (?!set|using|where)\\w+)?)");

  private static final Pattern JOIN =
      Pattern.compile(", |\\b(?:(?:left|right|full|inner|cross) )?(?:outer )?join\\b");

  private static final Pattern QUERY = Pattern.compile("\\b(select|update|delete)\\b");
  private static final Pattern ON = Pattern.compile("\\bon (.*)");
  private static final Pattern ALIAS =
      Pattern.compile(
          "^(?:lateral )?(\\S+?(?:\\(#\\d+\\))?)(?: with ordinality)?"
              + "(?: as)?(?: \"?(\\w+)\"?)?(?: ?\\(#\\d+\\))?$");

  private JoinedTables() {}

  /**
   * One item of a FROM.
   *
   * @param mentions what it says about the others: the body of a lateral, arguments, or its ON
   */
  private record Item(String alias, SqlTree source, String mentions) {
    /** A SELECT without a table has one row. */
    boolean isOneRow() {
      return source.text().matches("(lateral )?\\(#\\d+\\).*")
          && source.first().levels().findFirst().stream()
              .allMatch(
                  inner -> inner.text().startsWith("select") && !inner.text().contains(" from "));
    }

    /** Whether the text has a column of it, or passes it to a function. */
    boolean isIn(String text) {
      return Pattern.compile("(?<![\\w\"])(?:hapax\\.)?\"?" + alias + "\"?\\.|\\(" + alias + "\\)")
          .matcher(text)
          .find();
    }
  }

  /** The aliases of the tables that stand apart. */
  static Stream<String> apart(SqlTree statement) {
    return statement.levels().flatMap(JoinedTables::apartIn);
  }

  /** The items that a level reads, as they are written. */
  static Stream<String> read(SqlTree level) {
    return FROM.matcher(level.text())
        .results()
        .filter(from -> !level.text().substring(0, from.start()).endsWith("delete "))
        .flatMap(from -> Arrays.stream(JOIN.split(from.group(1))))
        .map(String::strip)
        .filter(item -> !item.isEmpty());
  }

  private static Stream<String> apartIn(SqlTree level) {
    var text = level.text();
    // FROM is also in arguments of functions
    if (!QUERY.matcher(text).find()) {
      return Stream.empty();
    }
    var items = new ArrayList<Item>();
    WRITTEN.matcher(text).results().forEach(written -> items.add(item(level, written.group(1))));
    read(level).forEach(item -> items.add(item(level, item)));
    var tables = items.stream().filter(item -> !item.isOneRow()).toList();
    if (tables.size() < 2) {
      return Stream.empty();
    }
    var conditions =
        WHERE
            .matcher(text)
            .results()
            .flatMap(where -> level.part(where.group(1)).conditions())
            .map(SqlTree::whole)
            .toList();
    var joined = new HashSet<Item>(tables.subList(0, 1));
    for (var before = 0; before < joined.size(); ) {
      before = joined.size();
      for (var item : items) {
        if (joined.stream().anyMatch(other -> isJoined(item, other, conditions))) {
          joined.add(item);
        }
      }
    }
    return tables.stream().filter(item -> !joined.contains(item)).map(Item::alias);
  }

  private static boolean isJoined(Item one, Item other, List<String> conditions) {
    return one.isIn(other.mentions())
        || other.isIn(one.mentions())
        || conditions.stream().anyMatch(condition -> one.isIn(condition) && other.isIn(condition));
  }

  private static Item item(SqlTree level, String text) {
    var on = ON.matcher(text);
    var source = on.find() ? text.substring(0, on.start()).strip() : text;
    var alias = ALIAS.matcher(source);
    if (!alias.matches()) {
      throw new IllegalArgumentException("no item of a FROM: " + text);
    }
    var name =
        alias.group(2) == null
            ? alias.group(1).replaceAll("^hapax\\.|\\(#\\d+\\)", "")
            : alias.group(2);
    return new Item(name, level.part(source), level.part(text).whole());
  }
}
