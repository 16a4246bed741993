package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.FakeAccess;
import dev.hapax.client.LogRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BearerFileTest {

  private static final String FIRST = "hpx_0123456789AB";
  private static final String SECOND = "hpx_zzzzzzzzzzzz";
  private static final long SECOND_NANOS = 1_000_000_000L;

  @TempDir private Path folder = Path.of("");
  private final AtomicLong now = new AtomicLong();

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private BearerFile open(Path file) {
    return BearerFile.ofApiKey(file, now::get);
  }

  @Test
  @DisplayName("given a file that is replaced, when a second has passed, then its key is used")
  void replaced() throws IOException {
    BearerFile file = open(write("key", FakeAccess.FIRST_KEY + "\n"));
    Files.move(
        write("new", FakeAccess.SECOND_KEY),
        folder.resolve("key"),
        StandardCopyOption.REPLACE_EXISTING);

    assertThat(file.isFresh()).isTrue();
    assertThat(file.current()).hasToString(FIRST);
    now.addAndGet(SECOND_NANOS);
    assertThat(file.isFresh()).isFalse();
    assertThat(file.current()).hasToString(SECOND);
  }

  @Test
  @DisplayName("given a link to a folder, when it is swapped as Kubernetes does, then the key is")
  void swapped() throws IOException {
    Files.createDirectories(folder.resolve("one"));
    Files.createDirectories(folder.resolve("two"));
    write("one/key", FakeAccess.FIRST_KEY);
    write("two/key", FakeAccess.SECOND_KEY);
    Path link = Files.createSymbolicLink(folder.resolve("data"), Path.of("one"));
    BearerFile file = open(link.resolve("key"));

    Files.delete(link);
    Files.createSymbolicLink(link, Path.of("two"));
    now.addAndGet(SECOND_NANOS);

    assertThat(file.current()).hasToString(SECOND);
  }

  @Test
  @DisplayName("given a file that is half written, then the last key stays, with one warning")
  void halfWritten() throws IOException {
    BearerFile file = open(write("key", FakeAccess.FIRST_KEY));
    try (var log = LogRecorder.of(BearerFile.class)) {
      write("key", FakeAccess.SECOND_KEY.substring(0, 30));
      for (int i = 0; i < 3; i++) {
        now.addAndGet(SECOND_NANOS);
        assertThat(file.current()).hasToString(FIRST);
      }
      assertThat(log.lines())
          .singleElement()
          .asString()
          .startsWith("WARN the API key file " + folder.resolve("key") + " is not an API key")
          .endsWith("the last hpx_0123456789AB stays in use")
          .doesNotContain("zzzzzzzz");

      write("key", FakeAccess.SECOND_KEY);
      now.addAndGet(SECOND_NANOS);
      assertThat(file.current()).hasToString(SECOND);
    }
  }

  @Test
  @DisplayName(
      "given a file whose token is renewed, then the new one is used, and a cut one is not")
  void jwt() throws IOException {
    Path path = write("jwt", "aaa.bbb.first\n");
    BearerFile file = BearerFile.ofJwt(path, now::get);
    assertThat(file.current().authorization()).isEqualTo("Bearer aaa.bbb.first");

    write("jwt", "aaa.bbb");
    now.addAndGet(SECOND_NANOS);
    assertThat(file.current().authorization()).isEqualTo("Bearer aaa.bbb.first");
    write("jwt", "aaa.bbb.second\n");
    now.addAndGet(SECOND_NANOS);
    assertThat(file.current().authorization()).isEqualTo("Bearer aaa.bbb.second");

    Path key = write("key", FakeAccess.FIRST_KEY);
    assertThatThrownBy(() -> BearerFile.ofJwt(key, now::get))
        .hasMessage(
            "the JWT file "
                + key
                + " is not a JWT, or was cut; it must be HEADER.PAYLOAD.SIGNATURE, as the issuer"
                + " signed it");
  }

  @Test
  @DisplayName("given no key in the file at first, then the error names the file")
  void unusable() throws IOException {
    assertThatThrownBy(() -> open(folder.resolve("missing")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the API key file " + folder.resolve("missing") + " does not exist");
    Path empty = write("empty", "\n");
    assertThatThrownBy(() -> open(empty))
        .hasMessageStartingWith("the API key file " + empty + " is empty; it must be hpx_ID_");
    assertThatThrownBy(() -> open(folder))
        .hasMessageStartingWith("the API key file " + folder + " cannot be read: ");
  }
}
