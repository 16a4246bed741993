package dev.hapax.console.web;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fields of a query or of a form, in their order. */
public record Fields(Map<String, List<String>> values) {
  private static final int MOST = 200;
  private static final Logger LOG = LoggerFactory.getLogger(Fields.class);

  /** Reads {@code a=1&b=2}; what is no field is left out. */
  public static Fields parse(String text) {
    var values = new LinkedHashMap<String, List<String>>();
    for (var part : text.split("&", MOST + 1)) {
      var equals = part.indexOf('=');
      if (equals > 0) {
        try {
          values
              .computeIfAbsent(decoded(part.substring(0, equals)), _ -> new ArrayList<>())
              .add(decoded(part.substring(equals + 1)));
        } catch (IllegalArgumentException e) {
          LOG.debug("a field is not encoded as browsers do it: {}", e.getMessage());
        }
      }
    }
    return new Fields(values);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Returns the first value of a field without surrounding space; empty = none. */
  public String text(String name) {
    return optional(name).orElse("");
  }

  /** Returns the first value of a field as it was sent; empty = none. */
  public String exact(String name) {
    return values.getOrDefault(name, List.of("")).getFirst();
  }

  /** Returns the first value of a field unless it is blank. */
  public Optional<String> optional(String name) {
    return all(name).stream().findFirst();
  }

  /** Returns the values of a field that are not blank. */
  public List<String> all(String name) {
    return values.getOrDefault(name, List.of()).stream()
        .map(String::strip)
        .filter(value -> !value.isEmpty())
        .toList();
  }
}
