package dev.hapax.console.find;

import java.util.List;

/**
 * What an id names.
 *
 * @param id as it was typed; empty = nothing was
 */
public record FindView(String id, List<Match> matches) {
  /** One of several objects with one name. */
  public record Match(String what, String href) {}
}
