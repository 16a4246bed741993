package dev.hapax.bootstrap.database;

/** What a check found. */
public record Finding(Level level, String subject, String text) {

  /** How bad it is. */
  public enum Level {
    OK("ok"),
    WARN("warn"),
    FAIL("FAIL");

    private final String label;

    Level(String label) {
      this.label = label;
    }
  }

  public static Finding ok(String subject, String text) {
    return new Finding(Level.OK, subject, text);
  }

  public static Finding warn(String subject, String text) {
    return new Finding(Level.WARN, subject, text);
  }

  public static Finding fail(String subject, String text) {
    return new Finding(Level.FAIL, subject, text);
  }

  @Override
  public String toString() {
    return "%-4s  %-18s  %s".formatted(level.label, subject, text);
  }
}
