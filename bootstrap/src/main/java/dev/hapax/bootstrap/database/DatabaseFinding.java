package dev.hapax.bootstrap.database;

/** The result of a check. */
public record DatabaseFinding(Level level, String subject, String text) {

  /** The severity of a finding. */
  public enum Level {
    OK("ok"),
    WARN("warn"),
    FAIL("FAIL");

    private final String label;

    Level(String label) {
      this.label = label;
    }
  }

  public static DatabaseFinding ok(String subject, String text) {
    return new DatabaseFinding(Level.OK, subject, text);
  }

  public static DatabaseFinding warn(String subject, String text) {
    return new DatabaseFinding(Level.WARN, subject, text);
  }

  public static DatabaseFinding fail(String subject, String text) {
    return new DatabaseFinding(Level.FAIL, subject, text);
  }

  @Override
  public String toString() {
    return "%-4s  %-18s  %s".formatted(level.label, subject, text);
  }
}
