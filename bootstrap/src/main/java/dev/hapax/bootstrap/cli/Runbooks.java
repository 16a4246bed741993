package dev.hapax.bootstrap.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.regex.Pattern;

/** The pages of docs/runbooks, which are in the jar. */
final class Runbooks {
  private static final String FOLDER = "/runbooks/";

  /** A row of the list: the symptom, and the link to the page. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (.+) \\| \\[[^]]+]\\(([a-z-]+)\\.md\\) \\|$");

  private Runbooks() {}

  /** Returns the symptom of each page by its name, in the order of the list. */
  static SequencedMap<String, String> symptoms() {
    var symptoms = new LinkedHashMap<String, String>();
    ROW.matcher(page("README"))
        .results()
        .forEach(row -> symptoms.put(row.group(2), row.group(1).replace("`", "")));
    return symptoms;
  }

  /** Returns the text of a page that is in the list. */
  static String page(String name) {
    try (var page = Runbooks.class.getResourceAsStream(FOLDER + name + ".md")) {
      return new String(Objects.requireNonNull(page, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
