package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.testkit.postgres.TestDatabase;
import java.util.ArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LogFormatIT {
  private static Struct object(String line) {
    var object = Struct.newBuilder();
    try {
      JsonFormat.parser().merge(line, object);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("no object: " + line, e);
    }
    return object.build();
  }

  @Test
  @DisplayName("given --log-format=json, then each line of the log is an object")
  void json() throws Exception {
    try (var database = TestDatabase.create();
        var server =
            HapaxProcess.start(
                "serve",
                "--listen=127.0.0.1:0",
                "--database-url=" + database.url(),
                "--log-format=json")) {
      var _ = server.awaitReady();
      var lines = new ArrayList<Struct>();
      var _ =
          server.awaitError(
              line -> {
                lines.add(object(line));
                return line.contains("database:");
              });
      assertThat(lines).isNotEmpty();
      assertThat(lines)
          .allSatisfy(
              line ->
                  assertThat(line.getFieldsMap())
                      .containsKeys("ts", "level", "logger", "thread", "message"));
      assertThat(lines.getLast().getFieldsOrThrow("level").getStringValue()).isEqualTo("INFO");
    }
  }
}
