package dev.hapax.grpc.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.rpc.Code;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.grpc.call.InvalidFieldException.Violation;
import dev.hapax.v1.ErrorReason;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ItemErrorEncodingTest {
  static Stream<RuntimeException> failures() {
    return Stream.of(
        new InvalidFieldException(
            IntStream.range(0, 3)
                .mapToObj(i -> new Violation(String.format(Locale.ROOT, "field[%d]", i), "r"))
                .toList()),
        new InvalidFieldException(
            IntStream.range(0, 1_000)
                .mapToObj(i -> new Violation("f" + i, "is required"))
                .toList()),
        new LedgerException.Unavailable("the database is away"),
        new LedgerException.Overloaded("commands", Duration.ofMillis(250)),
        GrpcErrors.error(
            Code.FAILED_PRECONDITION,
            ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE,
            "in use",
            Map.of("lifecycle", "invoice", "statuses", "sent"),
            GrpcErrors.preconditions(
                ErrorReason.ERROR_REASON_LIFECYCLE_IN_USE,
                List.of(
                    new Violation("invoice/1", "is sent"), new Violation("invoice/2", "too")))));
  }

  @ParameterizedTest
  @MethodSource("failures")
  @DisplayName("given an error in a message, then it has the status of the rpc with all details")
  void same(RuntimeException failure) {
    var status = GrpcErrors.of(failure);
    assertThat(Refusal.of(ItemErrorEncoding.error(status))).isEqualTo(Refusal.of(status));
  }

  @Test
  @DisplayName("given an unexpected error, then the caller gets nothing but its error_id")
  void defect() {
    StatusRuntimeException status = GrpcErrors.of(new IllegalStateException("secret"));
    var error = ItemErrorEncoding.error(status);
    assertThat(Refusal.of(error)).isEqualTo(Refusal.of(status));
    assertThat(error.getReason()).isEqualTo(ErrorReason.ERROR_REASON_INTERNAL);
    assertThat(error.getMetadataMap()).containsOnlyKeys("error_id");
    assertThat(error.toString()).doesNotContain("secret");
  }
}
