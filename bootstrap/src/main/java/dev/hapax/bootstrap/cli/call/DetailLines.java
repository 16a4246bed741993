package dev.hapax.bootstrap.cli.call;

import java.util.ArrayList;
import java.util.List;

/** Everything that is known of one thing, a line for each field that has a value. */
public final class DetailLines {
  private final List<String> lines = new ArrayList<>();

  /** Adds a line, unless there is nothing to say. */
  public void add(String name, String value) {
    if (!value.isEmpty()) {
      lines.add("%-14s  %s".formatted(name, value.stripTrailing()));
    }
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }
}
