package dev.hapax.domain;

/** The workspace of a tenant. Workspaces share no data. */
public record Workspace(String name) implements Comparable<Workspace> {
  public static final Workspace DEFAULT = new Workspace("default");

  /** What {@link #isValid} checks, for messages. */
  public static final String RULE = "must match [a-z][a-z0-9-]{0,62}";

  private static final int MAX_LENGTH = 63;

  public Workspace {
    if (!isValid(name)) {
      throw new InvalidValueException(RULE);
    }
  }

  /** Whether a workspace can have this name. */
  public static boolean isValid(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH || !isLetter(name.charAt(0))) {
      return false;
    }
    return name.chars().allMatch(c -> isLetter(c) || (c >= '0' && c <= '9') || c == '-');
  }

  private static boolean isLetter(int c) {
    return c >= 'a' && c <= 'z';
  }

  @Override
  public int compareTo(Workspace other) {
    return name.compareTo(other.name);
  }
}
