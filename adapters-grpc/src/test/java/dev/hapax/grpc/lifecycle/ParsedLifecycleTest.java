package dev.hapax.grpc.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.BadRequest;
import dev.hapax.domain.json.Violation;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ParsedLifecycleTest {
  private static final int TRAILERS = 8 * 1024;

  @Test
  @DisplayName("given malformed JSON, then it is one violation with its position [C4]")
  void malformed() {
    var text = ParsedLifecycle.read("{\n \"lifecycle\": billing }");
    assertThat(text.lifecycle()).isEmpty();
    assertThat(text.violations())
        .extracting(Violation::text)
        .containsExactly("lifecycle ?: is not JSON at line 2, column 15 (form). Write it as JSON.");
  }

  @Test
  @DisplayName("given an invalid lifecycle, then its name is still parsed [C4]")
  void named() {
    var text = ParsedLifecycle.read("{ \"lifecycle\": \"billing\",\n \"extra\": 1 }");
    assertThat(text.name()).isEqualTo("billing");
    assertThat(text.violations())
        .extracting(Violation::rule)
        .containsExactly("unknown-field", "form", "form", "form");
    assertThat(text.violations().getFirst().line()).hasValue(2);
    assertThat(ParsedLifecycle.read("[]").name()).isEmpty();
    assertThat(ParsedLifecycle.read("{ \"lifecycle\": 1 }").name()).isEmpty();
  }

  @Test
  @DisplayName("given many violations and long names, then the error fits into a status [X4]")
  void travels() throws Exception {
    for (var name : new String[] {"x".repeat(100_000), "😀".repeat(20_000), "a\\u0000b"}) {
      var fields = new StringBuilder("{ \"lifecycle\": \"" + name + "\", \"" + name + "\": 1");
      for (var i = 0; i < 5_000; i++) {
        fields.append(",\"field").append(i).append("\":1");
      }
      var text = ParsedLifecycle.read(fields.append("}").toString());
      var error = (StatusRuntimeException) LifecycleErrors.invalid(Map.of("lifecycles[0]", text));
      assertThat(bytes(error)).isLessThan(TRAILERS);
      var status = Objects.requireNonNull(StatusProto.fromThrowable(error));
      var badRequest = status.getDetails(1).unpack(BadRequest.class);
      assertThat(badRequest.getFieldViolationsCount()).isPositive();
    }
  }

  /** As gRPC sends it: the message percent-encoded, the details in base 64. */
  private static int bytes(StatusRuntimeException error) {
    var message = Objects.requireNonNull(error.getStatus().getDescription());
    var status = Objects.requireNonNull(StatusProto.fromThrowable(error));
    return URLEncoder.encode(message, StandardCharsets.UTF_8).length()
        + status.getSerializedSize() * 4 / 3;
  }
}
