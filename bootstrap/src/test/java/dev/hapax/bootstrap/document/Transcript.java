package dev.hapax.bootstrap.document;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a page shows of a terminal: commands after {@code $}, continued after {@code >}, and what
 * they print.
 */
final class Transcript {
  /** A value that differs each time, such as {@code run_01k…}; or {@code …}, which is any text. */
  private static final Pattern TOKEN = Pattern.compile("[\\w-]*…|\\s+|[^\\s…]");

  private static final Pattern KIND = Pattern.compile("[a-z]+_|");
  private static final String JSON = "{}[],:";

  /** What was printed for the values that pages show only in part. */
  private final Map<String, String> values = new LinkedHashMap<>();

  /** A command, and what it prints. */
  record Exchange(String command, String output) {}

  /** What a block shows. */
  static List<Exchange> read(CodeBlock block) {
    var exchanges = new ArrayList<Exchange>();
    var command = "";
    var output = new StringBuilder();
    for (var line : block.lines()) {
      if (line.startsWith("$ ")) {
        if (!command.isEmpty()) {
          exchanges.add(new Exchange(command, output.toString()));
        }
        command = line.substring(2);
        output.setLength(0);
      } else if (line.startsWith("> ") && output.isEmpty()) {
        command += "\n" + line.substring(2);
      } else {
        output.append(line).append('\n');
      }
    }
    exchanges.add(new Exchange(command, output.toString()));
    return exchanges;
  }

  /** The command with the values that were printed for those that the page shows in part. */
  String fill(String command) {
    var filled = command;
    for (var value : values.entrySet()) {
      filled = filled.replace(value.getKey(), value.getValue());
    }
    if (filled.contains("…")) {
      throw new AssertionError("no output has shown a value for: " + filled);
    }
    return filled;
  }

  /** Whether this was printed; then the values that the page shows in part are known. */
  boolean matches(String shown, String printed) {
    var pattern = new StringBuilder();
    var names = new ArrayList<String>();
    var tokens = TOKEN.matcher(shown.strip());
    while (tokens.find()) {
      pattern.append(pattern(tokens.group(), names));
    }
    var found = Pattern.compile(pattern.toString(), Pattern.DOTALL).matcher(printed.strip());
    if (!found.matches()) {
      return false;
    }
    for (var i = 0; i < names.size(); i++) {
      values.putIfAbsent(names.get(i), found.group(i + 1));
    }
    return true;
  }

  private String pattern(String token, List<String> names) {
    if (token.equals("…")) {
      return ".*?";
    }
    if (token.isBlank()) {
      return "\\s*";
    }
    if (!token.endsWith("…")) {
      var literal = Pattern.quote(token);
      return JSON.contains(token) ? "\\s*" + literal + "\\s*" : literal;
    }
    var known = values.get(token);
    if (known != null) {
      return Pattern.quote(known);
    }
    var earlier = names.indexOf(token);
    if (earlier >= 0) {
      return "\\" + (earlier + 1);
    }
    names.add(token);
    var kind = KIND.matcher(token);
    return "(" + (kind.lookingAt() ? kind.group() : "") + "[^\\s\",]+)";
  }
}
