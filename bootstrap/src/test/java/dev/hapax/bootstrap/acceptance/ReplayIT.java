package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.FailureKind;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayIT {
  private static final int LIMIT = 262_144;
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @ParameterizedTest(name = "{0} is replayed byte for byte [I1]")
  @ValueSource(
      strings = {
        "{\"b\":1,\"a\":2}",
        " \t\r\n{ \"a\" :1 ,\"a\":  2, \"a\":null }\n\n",
        "1e400",
        "-0.0E-0",
        "123456789012345678901234567890.000",
        "\"\\u0000 \\ud800 \\/ \\u00e9\"",
        "\"\u00e9\ud83d\ude00\u2028\u007f\ufeff\"",
        "[ ]",
        "null",
        "\"\"",
        "{\"\":{\"\":[]}}",
      })
  void replaysJson(String json) {
    assertReplayed(Caller.json(json));
  }

  private static Stream<Payload> otherResults() {
    var all = new byte[256];
    IntStream.range(0, all.length).forEach(i -> all[i] = (byte) i);
    return Stream.of(
        Caller.binary(all),
        Caller.binary(new byte[0]),
        Caller.binary(new byte[LIMIT]),
        Caller.json("\"" + "x".repeat(LIMIT - 2) + "\""),
        Caller.json("\"" + "\u00e9".repeat((LIMIT - 2) / 2) + "\""),
        Caller.json("[".repeat(64) + "]".repeat(64)),
        Caller.json("9".repeat(LIMIT)));
  }

  @ParameterizedTest(name = "other results are replayed byte for byte ({index}) [I1]")
  @MethodSource("otherResults")
  void replaysOthers(Payload result) {
    assertReplayed(result);
  }

  private void assertReplayed(Payload result) {
    var claim = caller.acquire("key");
    assertThat(caller.complete(claim, result).getCompleted().getAlready()).isFalse();

    var first = caller.send(caller.begin("key")).getReplay();
    assertThat(first.getResult().toByteString()).isEqualTo(result.toByteString());
    assertThat(first.hasFailure()).isFalse();
    assertThat(caller.send(caller.begin("key")).getReplay()).isEqualTo(first);
    assertThat(caller.get("key").getResult().toByteString()).isEqualTo(result.toByteString());
    assertThat(caller.get("key").getAttempt()).isOne();
  }

  @Test
  @DisplayName(
      "the holder's own attempt gets the replay, too, and Complete again says " + "already [I1]")
  void replaysToTheHolder() {
    var begin = caller.begin("key");
    var claim = caller.acquire(begin).getClaim();
    caller.complete(claim, Caller.json("1"));

    assertThat(caller.complete(claim, Caller.json("2")).getCompleted().getAlready()).isTrue();
    assertThat(caller.send(begin).getReplay().getResult()).isEqualTo(Caller.json("1"));
  }

  @Test
  @DisplayName("a void result is replayed as an empty success [I8]")
  void replaysVoid() {
    var claim = caller.acquire("key");
    assertThat(caller.completeVoid(claim).hasCompleted()).isTrue();

    var replay = caller.send(caller.begin("key")).getReplay();
    assertThat(replay.hasResult()).isFalse();
    assertThat(replay.hasFailure()).isFalse();
    assertThat(replay.hasCompletedAt()).isTrue();
    assertThat(caller.get("key").getState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
    assertThat(caller.completeVoid(claim).getCompleted().getAlready()).isTrue();
  }

  @Test
  @DisplayName(
      "given an ended operation, when another verb follows, then it gets the stored "
          + "outcome [I1]")
  void refusesAnotherVerb() {
    var claim = caller.acquire("key");
    caller.complete(claim, Caller.json("1"));

    for (var kind :
        new FailureKind[] {
          FailureKind.FAILURE_KIND_RETRYABLE,
          FailureKind.FAILURE_KIND_FINAL,
          FailureKind.FAILURE_KIND_UNKNOWN_EFFECT
        }) {
      var lost = caller.fail(claim, kind).getClaimLost();
      assertThat(lost.getOperationState()).isEqualTo(OperationState.OPERATION_STATE_COMPLETED);
      assertThat(lost.getReplay().getResult()).isEqualTo(Caller.json("1"));
    }
    assertThat(caller.renew(claim).getClaimLost().getReplay().getResult())
        .isEqualTo(Caller.json("1"));
  }
}
