package dev.hapax.bootstrap.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What tests need of the machine that they run on. */
public enum Requirement {
  /** {@code -Dhapax.browser=required} fails the tests of a machine without a browser. */
  BROWSER("hapax.browser"),

  /** {@code -Dhapax.kits=required} fails the tests of a machine without the tools of a language. */
  KITS("hapax.kits"),

  /** {@code -Dhapax.prometheus=required} fails the test of the alerts without Prometheus. */
  PROMETHEUS("hapax.prometheus"),

  /** {@code -Dhapax.postgresql=required} fails the tests of restores without a PostgreSQL. */
  POSTGRESQL("hapax.postgresql"),

  /** {@code -Dhapax.faketime=required} fails the tests of clocks that jump without libfaketime. */
  FAKETIME("hapax.faketime");

  private final String property;

  Requirement(String property) {
    this.property = property;
  }

  /** Skips the test with a visible line because something is missing, unless it is required. */
  public void check(boolean isThere, String missing) {
    if (System.getProperty(property, "").equals("required")) {
      assertThat(isThere).as(missing).isTrue();
    }
    if (!isThere) {
      System.out.printf("%s: skipped: %s%n", property.replace("hapax.", ""), missing);
    }
    assumeTrue(isThere, "skipped: " + missing);
  }
}
