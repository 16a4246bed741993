package dev.hapax.bootstrap.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** Provides the version of this program. */
public final class ProgramVersion {
  private static final String COMMIT = commitOfBuild();

  private ProgramVersion() {}

  /** Returns the version in the manifest of the jar, or {@code development}. */
  public static String text() {
    return Objects.requireNonNullElse(
        ProgramVersion.class.getPackage().getImplementationVersion(), "development");
  }

  /** Returns the commit that was built, or {@code unknown} if it was built without git. */
  public static String commit() {
    return COMMIT;
  }

  private static String commitOfBuild() {
    var build = new Properties();
    try (var file = ProgramVersion.class.getResourceAsStream("/hapax-build.properties")) {
      build.load(Objects.requireNonNull(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return build.getProperty("hapax.commit");
  }
}
