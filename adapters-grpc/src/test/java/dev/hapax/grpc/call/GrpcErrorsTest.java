package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcErrorsTest {
  private static final int TRAILERS = 8 * 1024;

  @Test
  @DisplayName("given several violations, then the message and the details have all")
  void all() throws Exception {
    var error = error(3);
    assertThat(error.getStatus().getDescription())
        .isEqualTo("field[0] is required; field[1] is required; field[2] is required");
    assertThat(badRequest(error).getFieldViolationsList())
        .extracting(BadRequest.FieldViolation::getField)
        .containsExactly("field[0]", "field[1]", "field[2]");
  }

  @Test
  @DisplayName("given a thousand violations, then as many are sent as a client reads")
  void many() throws Exception {
    var error = error(1_000);
    assertThat(error.getStatus().getDescription())
        .startsWith("field[0] is required; field[1] is required; ")
        .endsWith("field[25] is required; and 974 more");
    assertThat(badRequest(error).getFieldViolationsCount()).isBetween(50, 999);
    var status = Objects.requireNonNull(StatusProto.fromThrowable(error));
    assertThat(status.getSerializedSize() * 4 / 3).isLessThan(TRAILERS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "%", "\u20ac", "\ud83d\ude00"})
  @DisplayName("given long texts, then the status still fits into what a client reads")
  void whole(String character) {
    var text = GrpcErrors.cut(character.repeat(700));
    var unmet =
        IntStream.range(0, 20)
            .mapToObj(
                i -> new Violation(character.repeat(200), GrpcErrors.cut(character.repeat(80))))
            .toList();
    var error =
        GrpcErrors.error(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE,
            text,
            Map.of("lifecycle", text, "statuses", text),
            GrpcErrors.preconditions(ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE, unmet));
    var status = Objects.requireNonNull(StatusProto.fromThrowable(error));
    var message = URLEncoder.encode(status.getMessage(), StandardCharsets.UTF_8).length();
    assertThat(message + status.getSerializedSize() * 4 / 3).isLessThan(TRAILERS - 512);
    assertThat(Refusal.of(error).preconditions()).isNotEmpty();
  }

  @Test
  @DisplayName("given any error, then its reason is a plain trailer as well")
  void trailer() {
    assertThat(GrpcErrors.trailers(error(1)).get(GrpcErrors.REASON)).isEqualTo("INVALID_FIELD");
    var defect = GrpcErrors.of(new IllegalStateException("a test's"));
    assertThat(GrpcErrors.trailers(defect).get(GrpcErrors.REASON)).isEqualTo("INTERNAL");
  }

  private static StatusRuntimeException error(int violations) {
    return GrpcErrors.of(
        new InvalidFieldException(
            IntStream.range(0, violations)
                .mapToObj(
                    i -> new Violation(String.format(Locale.ROOT, "field[%d]", i), "is required"))
                .toList()));
  }

  private static BadRequest badRequest(StatusRuntimeException error)
      throws InvalidProtocolBufferException {
    var status = Objects.requireNonNull(StatusProto.fromThrowable(error));
    return status.getDetails(1).unpack(BadRequest.class);
  }
}
