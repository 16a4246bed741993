package dev.hapax.console.web;

import dev.hapax.console.view.Access;
import dev.hapax.console.view.ConsolePermission;
import java.time.Instant;
import java.util.Map;

/**
 * A request of a browser, as a page reads it.
 *
 * @param api calls with the credentials of the visitor
 * @param access what the visitor may do
 * @param segments what the segments of the path stand for
 * @param path the path, encoded
 */
public record Visit(
    Api api,
    Access access,
    String workspace,
    Map<String, String> segments,
    String path,
    Fields query,
    Instant now) {

  /** Returns the value of a segment of the route's pattern. */
  public String segment(String name) {
    var value = segments.get(name);
    if (value == null) {
      throw new IllegalStateException("the route has no segment " + name);
    }
    return value;
  }

  /** Whether the visitor may do this in the workspace of the page. */
  public boolean may(ConsolePermission permission) {
    return access.may(permission, workspace);
  }
}
