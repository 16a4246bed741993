package dev.hapax.bootstrap.config;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A JDBC URL of PostgreSQL; its text form masks passwords. */
public record JdbcUrl(String value) {
  private static final String PREFIX = "jdbc:postgresql:";
  private static final Pattern SECRET_PARAMETER =
      Pattern.compile(
          "([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*", Pattern.CASE_INSENSITIVE);
  private static final Pattern AUTHORITY =
      Pattern.compile("^" + Pattern.quote(PREFIX) + "(?://[^/?]*/?)?");

  private static final Pattern USER_INFO = Pattern.compile("//([^/?@:]*):[^/?]*@");

  public JdbcUrl {
    if (!value.startsWith(PREFIX)) {
      throw new IllegalArgumentException("must begin with " + PREFIX + "//");
    }
  }

  /** Masks every password in a text, even if it is not a valid URL. */
  static String mask(String url) {
    var masked = SECRET_PARAMETER.matcher(url).replaceAll("$1***");
    return USER_INFO.matcher(masked).replaceAll("//$1:***@");
  }

  /** Returns a parameter behind the question mark. */
  public Optional<String> parameter(String name) {
    return Pattern.compile("[?&]" + Pattern.quote(name) + "=([^&]+)")
        .matcher(value)
        .results()
        .findFirst()
        .map(match -> URLDecoder.decode(match.group(1), StandardCharsets.UTF_8));
  }

  /** The same database on another host. */
  public JdbcUrl at(String host, int port) {
    var address = host.contains(":") ? "[" + host + "]" : host;
    return new JdbcUrl(
        AUTHORITY
            .matcher(value)
            .replaceFirst(Matcher.quoteReplacement(PREFIX + "//" + address + ":" + port + "/")));
  }

  @Override
  public String toString() {
    return mask(value);
  }
}
