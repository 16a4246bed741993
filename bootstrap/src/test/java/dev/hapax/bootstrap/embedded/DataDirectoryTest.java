package dev.hapax.bootstrap.embedded;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given a data folder that cannot be created, then the error says why, and what to do")
  void saysWhatToDo() throws IOException {
    var file = Files.writeString(folder.resolve("file"), "");
    for (var wrong : new Path[] {file, file.resolve("data")}) {
      assertThatThrownBy(() -> DataDirectory.claim(wrong).close())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("cannot create the data folder " + wrong + ": ")
          .hasMessageContaining("Set --data-dir to another folder, or --database-url");
    }
  }
}
