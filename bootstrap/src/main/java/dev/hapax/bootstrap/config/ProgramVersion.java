package dev.hapax.bootstrap.config;

import java.util.Objects;

/** Provides the version of this program. */
public final class ProgramVersion {
  private ProgramVersion() {}

  /** Returns the version in the manifest of the jar, or {@code development}. */
  public static String text() {
    return Objects.requireNonNullElse(
        ProgramVersion.class.getPackage().getImplementationVersion(), "development");
  }
}
