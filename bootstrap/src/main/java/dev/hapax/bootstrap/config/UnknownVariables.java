package dev.hapax.bootstrap.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Warns of variables that begin with {@code HAPAX_} and are not settings, except those that
 * Kubernetes injects for each Service named {@code hapax} or {@code hapax-…}.
 */
final class UnknownVariables {
  // used by the start script, the client commands and the tests
  private static final Set<String> OTHERS =
      Set.of(
          Settings.VARIABLE_PREFIX + "JAVA_OPTS",
          Settings.VARIABLE_PREFIX + "SERVER",
          Settings.VARIABLE_PREFIX + "API_KEY",
          Settings.VARIABLE_PREFIX + "API_KEY_FILE",
          Settings.VARIABLE_PREFIX + "JWT_FILE",
          Settings.VARIABLE_PREFIX + "TLS",
          Settings.VARIABLE_PREFIX + "TLS_CA",
          ConfigReader.CONFIG_VARIABLE);
  private static final String TEST_PREFIX = Settings.VARIABLE_PREFIX + "TEST_";
  private static final Pattern SERVICE =
      Pattern.compile("HAPAX_(?:\\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\\w+)?)");
  private static final Pattern SERVICE_PORT =
      Pattern.compile("HAPAX_(?:\\w+_)?PORT(?:_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?");

  /** Kubernetes injects a port as a URL; an operator sets a number. */
  private static final Pattern PORT_URL = Pattern.compile("(?:tcp|udp|sctp)://.*");

  private UnknownVariables() {}

  /** Returns a warning for each unknown variable, with the most similar known name. */
  static List<String> warnings(Map<String, String> environment) {
    var known = new TreeSet<>(OTHERS);
    Settings.ALL.forEach(setting -> known.add(setting.variable()));
    var warnings = new ArrayList<String>();
    new TreeMap<>(environment)
        .forEach(
            (name, value) -> {
              if (name.startsWith(Settings.VARIABLE_PREFIX)
                  && !name.startsWith(TEST_PREFIX)
                  && !known.contains(name)
                  && !isOfKubernetes(name, value)) {
                warnings.add("ignoring unknown variable " + name + suggestion(name, known));
              }
            });
    return warnings;
  }

  private static boolean isOfKubernetes(String name, String value) {
    if (SERVICE.matcher(name).matches()) {
      return true;
    }
    var port = SERVICE_PORT.matcher(name);
    return port.matches() && (!name.endsWith("PORT") || isPort(name, value));
  }

  /** {@code X_PORT} is a URL; {@code X_PORT_7420_TCP_PORT} is a number. */
  private static boolean isPort(String name, String value) {
    return PORT_URL.matcher(value).matches() || name.matches(".*_PORT_[0-9]+_[A-Z]+_PORT");
  }

  private static String suggestion(String name, Set<String> known) {
    return SimilarNames.of(name, known).stream()
        .findFirst()
        .map(nearest -> "; did you mean " + nearest + "?")
        .orElse("");
  }
}
