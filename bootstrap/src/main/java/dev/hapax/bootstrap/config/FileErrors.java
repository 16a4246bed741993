package dev.hapax.bootstrap.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/** Describes why a file or folder cannot be read, as a predicate to its name. */
public final class FileErrors {
  private static final String UNKNOWN = "input/output error";

  private FileErrors() {}

  /** Describes a failure to read this file. */
  public static String describe(Path file, IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "does not exist";
      case AccessDeniedException _ -> "cannot be read: permission denied";
      case CharacterCodingException _ -> "is not UTF-8";
      case FileSystemException system ->
          "cannot be read: " + Objects.requireNonNullElse(system.getReason(), UNKNOWN);
      // the exception for a folder has no specific type
      case IOException _ when Files.isDirectory(file) -> "is a folder, not a file";
      default -> "cannot be read: " + Objects.requireNonNullElse(failure.getMessage(), UNKNOWN);
    };
  }
}
