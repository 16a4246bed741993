package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProtobufRuntimeTest {

  @Test
  @DisplayName("given the message about an old protobuf, then it names the version of the build")
  void oldest() throws IOException {
    assertThat(Files.readString(Path.of("../proto/pom.xml")))
        .contains("<protobuf.version>" + ProtobufRuntime.OLDEST + "</protobuf.version>");
    assertThatCode(ProtobufRuntime::check).doesNotThrowAnyException();
  }
}
