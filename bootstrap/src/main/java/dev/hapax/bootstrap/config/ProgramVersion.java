package dev.hapax.bootstrap.config;

import java.util.Objects;

/** The version of this program. */
public final class ProgramVersion {
  private ProgramVersion() {}

  /** As in the manifest of its jar; without one it is {@code development}. */
  public static String text() {
    return Objects.requireNonNullElse(
        ProgramVersion.class.getPackage().getImplementationVersion(), "development");
  }
}
