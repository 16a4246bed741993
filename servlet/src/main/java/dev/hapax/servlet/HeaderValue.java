package dev.hapax.servlet;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A header with parameters, such as {@code form-data; name="photo"}. */
record HeaderValue(String value, Map<String, String> parameters) {

  private static final Pattern PARAMETER =
      Pattern.compile(";\\s*([^=;\\s]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^;\\s]*))");

  static HeaderValue parse(String text) {
    int end = text.indexOf(';');
    Map<String, String> parameters = new LinkedHashMap<>();
    Matcher matcher = PARAMETER.matcher(text);
    while (matcher.find()) {
      String quoted = matcher.group(2);
      parameters.putIfAbsent(
          matcher.group(1).toLowerCase(Locale.ROOT),
          // browsers escape the quote alone, and send a backslash as it is
          quoted == null ? matcher.group(3) : quoted.replace("\\\"", "\""));
    }
    return new HeaderValue((end < 0 ? text : text.substring(0, end)).trim(), parameters);
  }

  Optional<String> parameter(String name) {
    return Optional.ofNullable(parameters.get(name));
  }
}
