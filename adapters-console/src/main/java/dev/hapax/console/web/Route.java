package dev.hapax.console.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An address of the console with what answers it.
 *
 * @param pattern a path, in which {@code {name}} stands for one segment
 * @param open whether it answers visitors without credentials
 * @param fresh whether it shows what no state of the data tells, and is made for each request
 */
public record Route(
    String pattern,
    Optional<ConsolePage> page,
    Optional<ConsoleAction> action,
    boolean open,
    boolean fresh) {
  /** The segment that names the workspace. */
  static final String WORKSPACE = "workspace";

  /** An address that only shows. */
  public static Route page(String pattern, ConsolePage page) {
    return new Route(pattern, Optional.of(page), Optional.empty(), false, false);
  }

  /** An address that shows a form, and does what the form asks for. */
  public static Route form(String pattern, ConsolePage page, ConsoleAction action) {
    return new Route(pattern, Optional.of(page), Optional.of(action), false, false);
  }

  /** An address that only does something. */
  public static Route action(String pattern, ConsoleAction action) {
    return new Route(pattern, Optional.empty(), Optional.of(action), false, false);
  }

  /** The same address, for visitors without credentials too. */
  public Route withoutCredentials() {
    return new Route(pattern, page, action, true, fresh);
  }

  /** The same address, whose page is made for each request. */
  public Route alwaysFresh() {
    return new Route(pattern, page, action, open, true);
  }

  /** Returns what the segments of a raw path stand for, if the route is for this path. */
  Optional<Map<String, String>> match(String path) {
    var wanted = segments(pattern);
    var given = segments(path);
    if (wanted.size() != given.size()) {
      return Optional.empty();
    }
    var names = new HashMap<String, String>();
    for (int i = 0; i < wanted.size(); i++) {
      var segment = wanted.get(i);
      if (segment.startsWith("{")) {
        var value = decoded(given.get(i));
        if (value.isEmpty()) {
          return Optional.empty();
        }
        names.put(segment.substring(1, segment.length() - 1), value.get());
      } else if (!segment.equals(given.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(Map.copyOf(names));
  }

  private static List<String> segments(String path) {
    return List.of(path.split("/", -1));
  }

  private static Optional<String> decoded(String segment) {
    try {
      // a plus is a plus in a path
      return Optional.of(URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8))
          .filter(text -> !text.isEmpty());
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }
}
