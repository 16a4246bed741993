package dev.hapax.bootstrap.cli.call;

import java.util.ArrayList;
import java.util.List;

/** Lines with a name and a value, for the fields that have one. */
public final class DetailLines {
  private final List<String> lines = new ArrayList<>();

  /** Adds a line unless the value is empty. */
  public void add(String name, String value) {
    if (!value.isEmpty()) {
      lines.add("%-14s  %s".formatted(name, value.stripTrailing()));
    }
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }
}
