package dev.hapax.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;

/** The password of the database's user. */
public sealed interface DatabasePassword {
  /** The state of an error that passes: the next connection reads the file again. */
  String CONNECTION_FAILED = "08001";

  /** No password, or that of the URL. */
  record None() implements DatabasePassword {}

  /** A password that stays. */
  record Text(String value) implements DatabasePassword {
    @Override
    public String toString() {
      return "Text[***]";
    }
  }

  /** A password in a file, whose change needs no restart. */
  record InFile(Path path) implements DatabasePassword {}

  /** Returns the password for a new connection. */
  default Optional<String> current() throws SQLException {
    return switch (this) {
      case None() -> Optional.empty();
      case Text(var value) -> Optional.of(value);
      case InFile(var path) -> Optional.of(read(path));
    };
  }

  private static String read(Path path) throws SQLException {
    try {
      // editors and `echo` end a file with a line break, which belongs to no password
      var password = Files.readString(path).replaceFirst("\\R\\z", "");
      if (password.isEmpty()) {
        throw new SQLException("the password file " + path + " is empty", CONNECTION_FAILED);
      }
      return password;
    } catch (IOException e) {
      throw new SQLException(
          "the password file " + path + " cannot be read: " + e, CONNECTION_FAILED, e);
    }
  }
}
