package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.client.FailureClassifier;
import dev.hapax.client.FailureKind;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.operation.OperationPolicy;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.v1.Failure;
import io.grpc.Metadata;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LimitsTest {

  @Test
  void acceptsTheLongestKey() {
    assertThat(OperationRequest.of("o", "😀".repeat(255)).requestId()).hasSize(510);
  }

  @ParameterizedTest
  @DisplayName(
      "given a key that cannot be stored, when a request is built, then it is "
          + "rejected without printing the key [X4]")
  @ValueSource(strings = {"\0", "a\nb", "\uD800", "a\uDC00b", "\u0085"})
  void refusesBadKeys(String key) {
    assertThatThrownBy(() -> OperationRequest.of("o", key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("requestId")
        .hasMessageNotContaining(key);
  }

  @Test
  void refusesLongKeysAndKeysOfNoOperation() {
    assertThatThrownBy(() -> OperationRequest.of("o", "k".repeat(256))).hasMessageContaining("255");
    assertThatThrownBy(() -> OperationRequest.of("", "k")).hasMessageContaining("operation");
  }

  @Test
  void refusesDurationsOutOfBounds() {
    OperationPolicy policy = OperationPolicy.DEFAULT;

    assertThatThrownBy(() -> policy.withLease(Duration.ofMillis(99))).hasMessageContaining("lease");
    assertThatThrownBy(() -> policy.withLease(Duration.ofHours(25))).hasMessageContaining("lease");
    assertThatThrownBy(() -> policy.withTtl(Duration.ZERO)).hasMessageContaining("ttl");
    assertThatThrownBy(() -> policy.withTtl(Duration.ofDays(31))).hasMessageContaining("ttl");
    assertThatThrownBy(() -> policy.withMaxWait(Duration.ofSeconds(31)))
        .hasMessageContaining("maxWait");
    assertThatThrownBy(() -> policy.withMaxWait(Duration.ofMillis(-1)))
        .hasMessageContaining("maxWait");
  }

  @Test
  void fingerprintsDoNotDependOnTheOrderOfMaps() {
    List<String> names = IntStream.range(0, 50).mapToObj(Integer::toString).toList();
    Struct.Builder there = Struct.newBuilder();
    Struct.Builder back = Struct.newBuilder();
    for (int i = 0; i < names.size(); i++) {
      there.putFields(names.get(i), Value.getDefaultInstance());
      back.putFields(names.get(names.size() - 1 - i), Value.getDefaultInstance());
    }
    assertThat(there.build().toByteString()).isNotEqualTo(back.build().toByteString());

    assertThat(Fingerprint.of(there.build())).isEqualTo(Fingerprint.of(back.build()));
    assertThat(Fingerprint.of(there.build()).bytes().size()).isEqualTo(32);
    assertThatThrownBy(() -> new Fingerprint(ByteString.copyFrom(new byte[1025])))
        .hasMessageContaining("1 KiB");
  }

  @Test
  void failuresAreCutToWhatCanBeStored() {
    Failure failure = FailureText.of(new IllegalStateException("a\0b\uD800" + "é".repeat(10_000)));

    assertThat(failure.getCode()).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure.getMessage()).startsWith("a b?é");
    assertThat(failure.getMessage().getBytes(StandardCharsets.UTF_8).length).isBetween(4095, 4096);
    assertThat(FailureText.describe(" ", null).getCode()).isEqualTo("FAILED");
  }

  @Test
  void failuresKeepTheDetailsOfAStatus() {
    Metadata trailers = new Metadata();
    trailers.put(FailureText.STATUS_DETAILS, new byte[] {8, 5});

    Failure failure = FailureText.of(Status.NOT_FOUND.asRuntimeException(trailers));

    assertThat(failure.getCode()).isEqualTo("NOT_FOUND");
    assertThat(failure.getMessage()).isEmpty();
    assertThat(failure.getDetails().getBinary().toByteArray()).containsExactly(8, 5);
  }

  @Test
  void everyStatusIsClassified() {
    FailureClassifier byStatus = FailureClassifier.byStatus();

    assertThat(byStatus.classify(Status.INVALID_ARGUMENT.asRuntimeException()))
        .isEqualTo(FailureKind.FINAL);
    assertThat(byStatus.classify(Status.UNAVAILABLE.asRuntimeException()))
        .isEqualTo(FailureKind.RETRYABLE);
    assertThat(byStatus.classify(new IllegalStateException()))
        .isEqualTo(FailureKind.UNKNOWN_EFFECT);
    assertThat(Status.Code.values())
        .allSatisfy(
            code ->
                assertThat(byStatus.classify(code.toStatus().asRuntimeException())).isNotNull());
  }
}
