package dev.hapax.console.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An address of the console with what answers it.
 *
 * @param pattern a path, in which {@code {name}} stands for one segment
 * @param open whether it answers visitors without credentials
 * @param validFor how long its page is shown while the data does not change; zero = it is made for
 *     each request
 */
public record Route(
    String pattern,
    Optional<ConsolePage> page,
    Optional<ConsoleAction> action,
    boolean open,
    Duration validFor) {
  /** Facts that no counter of the data covers, such as the delay of a janitor. */
  private static final Duration LONG = Duration.ofMinutes(10);

  /** The state of the installation, which changes without a commit. */
  private static final Duration SHORT = Duration.ofSeconds(30);

  /** The segment that names the workspace. */
  static final String WORKSPACE = "workspace";

  /** An address that only shows. */
  public static Route page(String pattern, ConsolePage page) {
    return new Route(pattern, Optional.of(page), Optional.empty(), false, LONG);
  }

  /** An address that shows a form, and does what the form asks for. */
  public static Route form(String pattern, ConsolePage page, ConsoleAction action) {
    return new Route(pattern, Optional.of(page), Optional.of(action), false, LONG);
  }

  /** An address that only does something. */
  public static Route action(String pattern, ConsoleAction action) {
    return new Route(pattern, Optional.empty(), Optional.of(action), false, LONG);
  }

  /** The same address, for visitors without credentials too. */
  public Route withoutCredentials() {
    return new Route(pattern, page, action, true, validFor);
  }

  /** The same address, whose page shows what may change without a change of the data. */
  public Route refreshed() {
    return new Route(pattern, page, action, open, SHORT);
  }

  /** The same address, whose page is made for each request. */
  public Route alwaysFresh() {
    return new Route(pattern, page, action, open, Duration.ZERO);
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
