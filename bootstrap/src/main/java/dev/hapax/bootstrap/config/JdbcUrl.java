package dev.hapax.bootstrap.config;

import java.util.regex.Pattern;

/** The address of a PostgreSQL. It may carry a password, so only its masked form is ever shown. */
public record JdbcUrl(String value) {
  private static final String PREFIX = "jdbc:postgresql:";
  private static final Pattern SECRET_PARAMETER =
      Pattern.compile(
          "([?&][^=&]*(?:password|secret|token)[^=&]*=)[^&]*", Pattern.CASE_INSENSITIVE);
  private static final Pattern USER_INFO = Pattern.compile("//([^/?@:]*):[^/?]*@");

  public JdbcUrl {
    if (!value.startsWith(PREFIX)) {
      throw new IllegalArgumentException("must begin with " + PREFIX + "//");
    }
  }

  /** The text with every password in it covered, also of a text that is no valid URL. */
  static String mask(String url) {
    var covered = SECRET_PARAMETER.matcher(url).replaceAll("$1***");
    return USER_INFO.matcher(covered).replaceAll("//$1:***@");
  }

  @Override
  public String toString() {
    return mask(value);
  }
}
