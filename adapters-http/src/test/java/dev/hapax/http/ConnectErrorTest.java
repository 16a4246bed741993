package dev.hapax.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConnectErrorTest {
  private static final ErrorInfo INFO =
      ErrorInfo.newBuilder().setReason("RS").setDomain("d").putMetadata("field", "x").build();

  private static String json(ConnectError error) {
    return error.body().toStringUtf8();
  }

  private static ConnectError error(StatusRuntimeException failure) {
    return ConnectError.of(
        failure.getStatus(), Objects.requireNonNullElseGet(failure.getTrailers(), Metadata::new));
  }

  private static RetryInfo after(long seconds, int nanos) {
    return RetryInfo.newBuilder()
        .setRetryDelay(Duration.newBuilder().setSeconds(seconds).setNanos(nanos))
        .build();
  }

  @Test
  @DisplayName("given a gRPC status with details, then the JSON has them as bytes and in words")
  void details() {
    var status =
        Status.newBuilder().setCode(5).setMessage("no \"run\"").addDetails(Any.pack(INFO)).build();
    var bytes = Base64.getEncoder().withoutPadding().encodeToString(INFO.toByteArray());
    assertThat(INFO.getSerializedSize() % 3).as("a case that would be padded").isNotZero();
    assertThat(json(error(StatusProto.toStatusRuntimeException(status))))
        .isEqualTo(
            """
            {"code":"not_found","message":"no \\"run\\"","details":[{"type":"google.rpc.ErrorInfo",\
            "value":"%s","debug":{"reason":"RS","domain":"d","metadata":{"field":"x"}}}]}"""
                .formatted(bytes));
  }

  @Test
  @DisplayName("given a detail of an unknown type, then the JSON has its bytes alone")
  void unknownDetail() {
    var detail =
        Any.newBuilder()
            .setTypeUrl("type.googleapis.com/a.b.C")
            .setValue(ByteString.copyFromUtf8("xy"))
            .build();
    assertThat(json(new ConnectError(ConnectCode.ABORTED, "", List.of(detail))))
        .isEqualTo("{\"code\":\"aborted\",\"details\":[{\"type\":\"a.b.C\",\"value\":\"eHk\"}]}");
  }

  @Test
  @DisplayName("given no details, then a gRPC status still has its code and message")
  void plainStatus() {
    var failure = io.grpc.Status.UNAVAILABLE.withDescription("gone").asRuntimeException();
    assertThat(json(error(failure))).isEqualTo("{\"code\":\"unavailable\",\"message\":\"gone\"}");
  }

  @Test
  @DisplayName("given a time to wait, then Retry-After has whole seconds, rounded up")
  void retryAfter() {
    var expected =
        Map.of(after(0, 0), "1", after(0, 1), "1", after(2, 0), "2", after(2, 500_000_000), "3");
    expected.forEach(
        (info, seconds) -> {
          var error =
              new ConnectError(ConnectCode.RESOURCE_EXHAUSTED, "m", List.of(Any.pack(info)));
          var answer = HttpAnswer.of(error);
          assertThat(answer.status()).isEqualTo(429);
          assertThat(answer.headers()).containsExactly(Map.entry("Retry-After", seconds));
        });
    assertThat(HttpAnswer.of(new ConnectError(ConnectCode.RESOURCE_EXHAUSTED, "m")).headers())
        .isEmpty();
  }

  @Test
  @DisplayName("given every code, then an answer has the status of its code")
  void statuses() {
    Arrays.stream(ConnectCode.values())
        .forEach(
            code ->
                assertThat(HttpAnswer.of(new ConnectError(code, "m")).status())
                    .isEqualTo(code.httpStatus()));
  }
}
