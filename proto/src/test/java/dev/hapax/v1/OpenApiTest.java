package dev.hapax.v1;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** {@code docs/openapi.json} is what the protos say. */
class OpenApiTest {
  private static final Path FILE = Path.of("../docs/openapi.json");

  private final Map<String, Object> document = OpenApi.document();

  @Test
  @DisplayName("the OpenAPI document says what the protos say")
  void fresh() throws IOException {
    var text = text(document);
    if ("write".equals(System.getProperty("docs"))) {
      Files.writeString(FILE, text);
    }
    // not as one text: the difference would fill the screen
    assertThat(Files.readAllLines(FILE))
        .as("docs/openapi.json is written by ./dev docs write")
        .containsExactlyElementsOf(text.lines().toList());
  }

  private static String text(Map<String, Object> document) throws InvalidProtocolBufferException {
    var text = JsonFormat.printer().print(value(document).getStructValue()) + "\n";
    // it writes as for a script in HTML
    return text.replace("\\u0027", "'")
        .replace("\\u003c", "<")
        .replace("\\u003d", "=")
        .replace("\\u003e", ">");
  }

  private static Value value(Object value) {
    var json = Value.newBuilder();
    if (value instanceof Map<?, ?> object) {
      var fields = Struct.newBuilder();
      object.forEach((name, field) -> fields.putFields((String) name, value(field)));
      json.setStructValue(fields);
    } else if (value instanceof List<?> list) {
      var values = ListValue.newBuilder();
      list.forEach(each -> values.addValues(value(each)));
      json.setListValue(values);
    } else if (value instanceof Boolean flag) {
      json.setBoolValue(flag);
    } else if (value instanceof Number number) {
      json.setNumberValue(number.doubleValue());
    } else {
      json.setStringValue((String) value);
    }
    return json.build();
  }

  @Test
  @DisplayName("every rpc that HTTP offers has a path, and every reference leads to a schema")
  void complete() throws IOException {
    var paths = (Map<?, ?>) document.get("paths");
    var rpcs =
        Api.elements().stream()
            .filter(element -> element.kind().equals("rpc"))
            .filter(element -> !element.line().matches("rpc [\\w.]+\\(stream .*"))
            .map(element -> "/" + element.name().replaceFirst("\\.(\\w+)$", "/$1"))
            .toList();
    assertThat(paths.keySet().stream().map(Object::toString))
        .containsExactlyInAnyOrderElementsOf(rpcs);
    var schemas = (Map<?, ?>) ((Map<?, ?>) document.get("components")).get("schemas");
    var prefix = "\"$ref\": \"#/components/schemas/";
    assertThat(text(document).lines().filter(line -> line.contains(prefix)))
        .isNotEmpty()
        .allSatisfy(
            line ->
                assertThat(
                        schemas
                            .keySet()
                            .contains(line.strip().replace(prefix, "").replaceAll("\".*", "")))
                    .as(line)
                    .isTrue());
  }
}
