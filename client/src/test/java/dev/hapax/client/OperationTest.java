package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.BeginOperationRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OperationTest {

  private static final Operation OPERATION = Operation.of("POST /payments", "r-1");

  private final FakeHapax<ManualTiming> hapax = FakeHapax.still();

  @AfterEach
  void close() {
    hapax.close();
  }

  private static void refused(String message, ThrowingCallable... settings) {
    for (ThrowingCallable setting : settings) {
      assertThatThrownBy(setting)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(message);
    }
  }

  @Test
  @DisplayName("given settings at their limits, then they are accepted, and beyond refused")
  void limits() {
    Stream.<Consumer<Operation>>of(
            each -> each.lease(Duration.ofMillis(100)).lease(Duration.ofHours(24)),
            each -> each.ttl(Duration.ofNanos(1)).ttl(Duration.ofDays(30)),
            each -> each.wait(Duration.ZERO).wait(Duration.ofSeconds(30)),
            each -> each.holdAtMost(Duration.ofMillis(1)).holdAtMost(Duration.ofDays(365)),
            each -> each.fingerprint(new byte[0]).fingerprint(new byte[1024]),
            each -> each.account("a".repeat(255)))
        .forEach(each -> assertThatCode(() -> each.accept(OPERATION)).doesNotThrowAnyException());

    refused(
        "lease must be between PT0.1S and PT24H",
        () -> OPERATION.lease(Duration.ofMillis(99)),
        () -> OPERATION.lease(Duration.ofHours(24).plusNanos(1)));
    refused(
        "ttl must be between",
        () -> OPERATION.ttl(Duration.ZERO),
        () -> OPERATION.ttl(Duration.ofDays(30).plusNanos(1)));
    refused(
        "wait must be between PT0S and PT30S",
        () -> OPERATION.wait(Duration.ofNanos(-1)),
        () -> OPERATION.wait(Duration.ofSeconds(30).plusNanos(1)));
    refused(
        "holdAtMost must be between",
        () -> OPERATION.holdAtMost(Duration.ZERO),
        () -> OPERATION.holdAtMost(Duration.ofDays(366)));
    refused(
        "the length of the fingerprint must be between 0 and 1024",
        () -> OPERATION.fingerprint(new byte[1025]));
    refused("account", () -> OPERATION.account("a".repeat(256)));
    refused("operation", () -> Operation.of("a\nb", "r-1"));
    refused("requestId", () -> Operation.of("charge", "a".repeat(256)));
    refused("the name of an operation must not be empty", () -> Operation.of("", "r-1"));
    assertThatCode(() -> Operation.of("", "")).doesNotThrowAnyException();
  }

  @Test
  @DisplayName("given an operation, when a setting changes, then the first one stays as it is")
  void immutable() {
    BeginOperationRequest before = OPERATION.message();

    Operation changed =
        OPERATION
            .account("ann")
            .lease(Duration.ofSeconds(1))
            .ttl(Duration.ofHours(1))
            .wait(Duration.ofSeconds(2))
            .onStale(Operation.OnStale.HOLD)
            .accountChanging()
            .acceptCorrections()
            .holdAtMost(Duration.ofMinutes(1))
            .failOpen()
            .input(List.of());

    assertThat(OPERATION.message()).isEqualTo(before);
    assertThat(OPERATION.failsOpen()).isFalse();
    assertThat(changed.message()).isNotEqualTo(before);
    assertThat(changed.lease()).isEqualTo(Duration.ofSeconds(1));
    assertThat(changed.waiting()).isEqualTo(Duration.ofSeconds(2));
    assertThat(changed.holdAtMost()).isEqualTo(Duration.ofMinutes(1));
    assertThat(changed.failsOpen()).isTrue();
    assertThat(changed.message().getAccount()).isEqualTo("ann");
  }

  @Test
  @DisplayName("given an input without a fingerprint, when it begins, then nothing is sent")
  void refusedInput() {
    try (Hapax client = Hapax.builder().channel(hapax.channel).connect()) {
      Operation operation = OPERATION.input(List.of(1L << 53));

      assertThatThrownBy(() -> client.once(operation, String.class, claim -> "done"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "integers beyond 2^53 - 1 differ between languages; send 9007199254740992 as a"
                  + " text");
      assertThat(hapax.faults.calls("begin")).isZero();
      assertThat(client.once(OPERATION.input(List.of(1)), String.class, claim -> "done"))
          .isEqualTo("done");
      assertThatThrownBy(() -> client.once(OPERATION.input(List.of(2)), String.class, c -> ""))
          .isInstanceOf(HapaxException.KeyReused.class);
    }
  }
}
