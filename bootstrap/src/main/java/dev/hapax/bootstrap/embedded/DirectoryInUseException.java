package dev.hapax.bootstrap.embedded;

import java.io.IOException;
import java.nio.file.Path;

/** Another hapax is using this folder. */
public final class DirectoryInUseException extends IOException {
  private static final long serialVersionUID = 1L;

  DirectoryInUseException(Path path, String holder) {
    super(
        "another hapax (process "
            + holder
            + ") is using "
            + path
            + ": stop it, or set another folder with --data-dir");
  }
}
