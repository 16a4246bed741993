package dev.hapax.postgres.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Breaks the lines of a statement: before each clause, in long lists, and in long parentheses. */
final class SqlLayout {
  private static final int WIDTH = 100;
  private static final String STEP = "  ";

  private static final Pattern CLAUSE =
      Pattern.compile(
          "(?i)(?<= |\\))(?="
              + "select |(?<!distinct |delete )from |where |group by |order by |limit |offset |fetch next |union all"
              + "|for update|on conflict |do update|(?<!update )set |returning |left outer join )");

  private static final Pattern ITEM = Pattern.compile("(?i)(?<=, )|(?<= )(?=and |or |\\+ )");

  private SqlLayout() {}

  /** A statement that has short lines already stays as it is. */
  static String of(String statement) {
    var isLaidOut =
        statement.contains("\n") && statement.lines().allMatch(line -> line.length() <= WIDTH);
    return isLaidOut ? statement : block(statement.replaceAll("\\s+", " ").strip(), "");
  }

  private static String block(String text, String indent) {
    if (fits(text, indent)) {
      return (indent + text).stripTrailing();
    }
    return String.join(
        "\n", split(text, CLAUSE).stream().map(clause -> clause(clause, indent)).toList());
  }

  private static boolean fits(String text, String indent) {
    return indent.length() + text.length() <= WIDTH;
  }

  private static String clause(String text, String indent) {
    if (fits(text, indent)) {
      return (indent + text).stripTrailing();
    }
    var lines = new ArrayList<String>();
    var line = indent;
    for (var item : split(text, ITEM)) {
      if (line.length() + item.stripTrailing().length() > WIDTH && !line.isBlank()) {
        lines.add(line.stripTrailing());
        line = indent + STEP;
      }
      line = item(item, line, lines);
    }
    lines.add(line.stripTrailing());
    return String.join("\n", lines);
  }

  /** Appends an item to a line; what is in parentheses that do not fit gets lines of its own. */
  private static String item(String item, String begun, List<String> lines) {
    var line = begun;
    var left = item;
    for (var start = left.indexOf('('); start >= 0; start = left.indexOf('(')) {
      var end = closing(left, start);
      if (line.length() + end < WIDTH) {
        line += left.substring(0, end + 1);
      } else {
        var indent = " ".repeat(line.length() - line.stripLeading().length());
        lines.add(line + left.substring(0, start + 1));
        lines.add(block(left.substring(start + 1, end).strip(), indent + STEP));
        line = indent + ")";
      }
      left = left.substring(end + 1);
    }
    return line + left;
  }

  private static int closing(String text, int start) {
    var depth = 0;
    for (var i = start; i < text.length(); i++) {
      depth += depth(text.charAt(i));
      if (depth == 0) {
        return i;
      }
    }
    throw new IllegalArgumentException("no closing parenthesis: " + text);
  }

  private static int depth(char c) {
    return c == '(' ? 1 : c == ')' ? -1 : 0;
  }

  /** At each match that is not in parentheses. */
  private static List<String> split(String text, Pattern where) {
    var parts = new ArrayList<String>();
    var matcher = where.matcher(text);
    var start = 0;
    var depth = 0;
    var at = 0;
    while (matcher.find()) {
      for (; at < matcher.start(); at++) {
        depth += depth(text.charAt(at));
      }
      if (depth == 0 && matcher.start() > start) {
        parts.add(text.substring(start, matcher.start()));
        start = matcher.start();
      }
    }
    parts.add(text.substring(start));
    return parts;
  }
}
