package dev.hapax.postgres.sql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A statement by its parentheses: each level is a text in which every pair of parentheses has the
 * number of its content, such as {@code from (#0) k where k.a in (#1)}.
 */
record SqlTree(String text, List<SqlTree> parts) {
  private static final Pattern PART = Pattern.compile("\\(#(\\d+)\\)");
  private static final Pattern SELECTS = Pattern.compile("\\bunion( all)?\\b|\\bloop\\b");
  private static final Pattern AND = Pattern.compile("\\band\\b");

  /** Reads a statement without comments, whose strings have no parentheses. */
  static SqlTree of(String statement) {
    var plain =
        statement
            .replaceAll("\\s+", " ")
            .strip()
            .toLowerCase(Locale.ROOT)
            .replaceAll("\\bdistinct from\\b", "distinct_from")
            .replaceAll("\\brows from \\(", "rows_from(");
    return level(plain);
  }

  private static SqlTree level(String content) {
    var text = new StringBuilder();
    var parts = new ArrayList<SqlTree>();
    var depth = 0;
    var start = 0;
    for (var i = 0; i < content.length(); i++) {
      var c = content.charAt(i);
      if (c == '(' && depth++ == 0) {
        start = i + 1;
      } else if (c == ')' && --depth == 0) {
        text.append("(#").append(parts.size()).append(')');
        parts.add(level(content.substring(start, i)));
      } else if (depth == 0) {
        text.append(c);
      }
    }
    return new SqlTree(text.toString().strip(), parts);
  }

  /** This level and all in it, with each SELECT of a UNION as a level of its own. */
  Stream<SqlTree> levels() {
    return Stream.concat(
        Arrays.stream(SELECTS.split(text)).map(this::part),
        parts.stream().flatMap(SqlTree::levels));
  }

  /** Part of the text of this level. */
  SqlTree part(String some) {
    return new SqlTree(some.strip(), parts);
  }

  /** The conditions that have to hold together. */
  Stream<SqlTree> conditions() {
    return Arrays.stream(AND.split(text))
        .map(this::part)
        .flatMap(
            one -> {
              var inner = PART.matcher(one.text());
              return inner.matches() ? part(inner).conditions() : Stream.of(one);
            });
  }

  private SqlTree part(Matcher numbered) {
    return parts.get(Integer.parseInt(numbered.group(1)));
  }

  /** The content of the first parentheses. */
  SqlTree first() {
    var numbered = PART.matcher(text);
    if (!numbered.find()) {
      throw new IllegalStateException("no parentheses: " + text);
    }
    return part(numbered);
  }

  /** The text with what is in its parentheses. */
  String whole() {
    return PART.matcher(text)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    "(" + parts.get(Integer.parseInt(found.group(1))).whole() + ")"));
  }
}
