package dev.hapax.grpc.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.SourceCodeInfo.Location;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import dev.hapax.domain.DurationText;
import dev.hapax.v1.ServerLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The page of limits has the values that the server checks by, and the comments of their fields.
 */
class LimitsPageTest {
  private static final Path PAGE = Path.of("../docs/limits.md");
  private static final Path DESCRIPTORS = Path.of("../proto/target/hapax.protoset");
  private static final String HEAD = "| field | value | what |\n|---|---|---|\n";

  @Test
  @DisplayName("given GetServerInfo, then it returns every limit")
  void complete() {
    assertThat(LimitsEncoding.LIMITS.getAllFields().keySet())
        .containsExactlyInAnyOrderElementsOf(ServerLimits.getDescriptor().getFields());
  }

  @Test
  @DisplayName("given the page of limits, then it equals the answer of GetServerInfo")
  void fresh() throws IOException {
    var text = Files.readString(PAGE);
    assertThat(text).contains(HEAD);
    var start = text.indexOf(HEAD) + HEAD.length();
    var end = text.indexOf("\n\n", start) + 1;
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(PAGE, text.substring(0, start) + table() + text.substring(end));
    } else {
      assertThat(text.substring(start, end))
          .as("docs/limits.md is written by ./dev docs write")
          .isEqualTo(table());
    }
  }

  private static String table() throws IOException {
    var file = file();
    return ServerLimits.getDescriptor().getFields().stream()
        .map(
            field ->
                "| `%s` | %s | %s |\n"
                    .formatted(
                        field.getName(),
                        value(field, LimitsEncoding.LIMITS.getField(field)),
                        comment(file, field).replace("|", "\\|")))
        .collect(Collectors.joining());
  }

  private static String value(FieldDescriptor field, Object value) {
    if (value instanceof Duration length) {
      return DurationText.format(
          java.time.Duration.ofSeconds(length.getSeconds(), length.getNanos()));
    }
    var number = ((Number) value).longValue();
    var text = String.format(Locale.ROOT, "%,d", number);
    return field.getName().endsWith("_bytes") ? text + " (" + binary(number) + ")" : text;
  }

  private static String binary(long bytes) {
    return bytes % (1 << 20) == 0 ? (bytes >> 20) + " MiB" : (bytes >> 10) + " KiB";
  }

  private static FileDescriptorProto file() throws IOException {
    // not in the jar of the module
    try (var bytes = Files.newInputStream(DESCRIPTORS)) {
      return FileDescriptorSet.parseFrom(bytes).getFileList().stream()
          .filter(each -> each.getName().equals("hapax/v1/server.proto"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static String comment(FileDescriptorProto file, FieldDescriptor field) {
    var path =
        List.of(
            FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER,
            file.getMessageTypeList().stream()
                .map(DescriptorProto::getName)
                .toList()
                .indexOf("ServerLimits"),
            DescriptorProto.FIELD_FIELD_NUMBER,
            field.getIndex());
    return file.getSourceCodeInfo().getLocationList().stream()
        .filter(location -> location.getPathList().equals(path))
        .map(Location::getLeadingComments)
        .findFirst()
        .orElseThrow()
        .replaceAll("\\s+", " ")
        .strip();
  }
}
