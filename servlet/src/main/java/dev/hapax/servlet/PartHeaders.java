package dev.hapax.servlet;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The headers of one part. */
record PartHeaders(Map<String, List<String>> values) {

  /** Reads lines whose characters are bytes. */
  static PartHeaders parse(String lines) {
    Map<String, List<String>> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line : lines.split("\r\n", -1)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        // browsers send the names of files in the charset of the page
        String value =
            new String(
                line.substring(colon + 1).trim().getBytes(StandardCharsets.ISO_8859_1),
                StandardCharsets.UTF_8);
        values
            .computeIfAbsent(line.substring(0, colon).trim(), any -> new ArrayList<>())
            .add(value);
      }
    }
    return new PartHeaders(values);
  }

  @Nullable String first(String name) {
    List<String> all = values.get(name);
    return all == null ? null : all.get(0);
  }

  Collection<String> all(String name) {
    return List.copyOf(values.getOrDefault(name, List.of()));
  }

  Collection<String> names() {
    return List.copyOf(values.keySet());
  }

  /** A parameter of {@code Content-Disposition}; null = none. */
  @Nullable String disposition(String parameter) {
    String value = first("Content-Disposition");
    return value == null ? null : HeaderValue.parse(value).parameter(parameter).orElse(null);
  }
}
