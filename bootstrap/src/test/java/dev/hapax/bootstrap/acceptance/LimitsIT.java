package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.Timestamp;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FailureKind;
import dev.hapax.v1.RenewOperationRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is just allowed. */
class LimitsIT {
  private final Deployment deployment = Deployment.shared();
  private final Caller caller = deployment.caller();

  @AfterEach
  void close() {
    caller.close();
  }

  @ParameterizedTest(name = "names of 255 characters are taken as they are ({index}) [X4]")
  @ValueSource(strings = {"x", "\u00e9", "\u4e2d", "\ud83d\ude00", " ", "'", "\\", "\u200d"})
  void longestNames(String character) {
    var longest = character.repeat(255);
    var begin =
        BeginOperationRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setAccount(longest)
            .setOperation(longest)
            .setRequestId(longest)
            .setAttemptId(longest)
            .setAccountChanging(true);
    var claim = caller.acquire(begin).getClaim();
    assertThat(caller.acquire(begin).getReentrant()).isTrue();
    caller
        .calls()
        .completeOperation(
            caller.completion(claim, Caller.json("1")).toBuilder()
                .setAccountAfter(longest)
                .build());
    assertThat(caller.send(begin.setAttemptId("other")).hasReplay()).isTrue();

    var listed = caller.calls().listOperations(caller.list().addOperations(longest).build());
    assertThat(listed.getOperations(0).getRequestId()).isEqualTo(longest);
    var release = caller.resolution("").setRequestId(longest).setReason(longest);
    release.getKeyBuilder().setOperation(longest).setRequestId(longest).setAccountChanging(true);
    release.getReleaseBuilder();
    assertThat(caller.calls().resolveOperation(release.build()).getOperation().getResolution())
        .isEqualTo(longest);
  }

  @Test
  @DisplayName(
      "the longest and shortest durations, and the longest fingerprint, are taken " + "[X4]")
  void durations() {
    caller.acquire(caller.begin("1").setLease(Caller.millis(100)).setTtl(nanos(1)));
    caller.acquire(
        caller.begin("2").setLease(Caller.seconds(86_400)).setTtl(Caller.seconds(30 * 86_400)));
    caller.acquire(caller.begin("3").setWait(Caller.seconds(30)));
    caller.acquire(caller.begin("4").setWait(nanos(0)));
    caller.acquire(caller.begin("5").setFingerprint(ByteString.copyFrom(new byte[1024])));
    var claim = caller.acquire("6");
    assertThat(
            caller
                .calls()
                .renewOperation(caller.renewal(claim, Caller.seconds(86_400)))
                .getRenewed()
                .getLeaseRemaining())
        .isEqualTo(Caller.seconds(86_400));
  }

  @Test
  @DisplayName("a renewal that asks for no lease gets that of the grant")
  void leaseOfTheGrant() {
    var claim = caller.acquire(caller.begin("1").setLease(Caller.seconds(7_200))).getClaim();
    var renewal = RenewOperationRequest.newBuilder().setClaim(claim).build();
    var longer = renewal.toBuilder().setLease(Caller.seconds(3_600)).build();
    var calls = caller.calls();
    assertThat(calls.renewOperation(renewal).getRenewed().getLeaseRemaining())
        .isEqualTo(Caller.seconds(7_200));
    assertThat(calls.renewOperation(longer).getRenewed().getLeaseRemaining().getSeconds())
        .isBetween(7_190L, 7_200L);
  }

  private static Duration nanos(int nanos) {
    return Duration.newBuilder().setNanos(nanos).build();
  }

  @Test
  @DisplayName("the longest failure is replayed as it was [X4]")
  void longestFailure() {
    var failure =
        Failure.newBuilder()
            .setCode("\ud83d\ude00".repeat(255))
            .setMessage("\u00e9".repeat(2048))
            .setDetails(Caller.binary(new byte[262_144]))
            .build();
    for (var kind : List.of(FailureKind.FAILURE_KIND_RETRYABLE, FailureKind.FAILURE_KIND_FINAL)) {
      var request = caller.failure(caller.acquire(kind.name()), kind, failure);
      assertThat(caller.calls().failOperation(request).hasFailed()).isTrue();
      assertThat(caller.get(kind.name()).getFailure()).isEqualTo(failure);
    }
    assertThat(caller.send(caller.begin("FAILURE_KIND_FINAL")).getReplay().getFailure())
        .isEqualTo(failure);
  }

  @Test
  @DisplayName("the first and the last point in time can be asked for [X4]")
  void timestamps() {
    caller.acquire("key");
    var first = Timestamp.newBuilder().setSeconds(-62_135_596_800L).build();
    var last = Timestamp.newBuilder().setSeconds(253_402_300_799L).setNanos(999_999_999).build();
    caller.completeVoid(caller.acquire("ended"));
    var all = caller.list().setStartedAfter(first).setStartedBefore(last);
    assertThat(caller.calls().listOperations(all.build()).getOperationsList()).hasSize(2);
    var none = caller.list().setStartedAfter(last).setStartedBefore(first);
    assertThat(caller.calls().listOperations(none.build()).getOperationsList()).isEmpty();
    var ended = caller.list().setEndedAfter(first).setEndedBefore(last);
    assertThat(caller.calls().listOperations(ended.build()).getOperationsList()).hasSize(1);
    var never = caller.list().setEndedAfter(last).setEndedBefore(first);
    assertThat(caller.calls().listOperations(never.build()).getOperationsList()).isEmpty();
  }

  @Test
  @DisplayName("workspaces of 1 and 63 characters are taken [X4]")
  void workspaces() {
    for (var name : List.of("a", "a".repeat(63), "a-", "a1-9z")) {
      assertThat(caller.send(caller.begin("key-" + caller.workspace()).setWorkspace(name)))
          .matches(answer -> answer.hasAcquired());
    }
  }

  @Test
  @DisplayName("given a large list, then a page ends at 1 MiB and the next one continues [X4]")
  void bytesOfAPage() {
    var message = "x".repeat(4_096);
    var keys = 400;
    var claims =
        ConcurrentCalls.call(
            keys, i -> caller.futures().beginOperation(caller.begin("key-" + i).build()));
    ConcurrentCalls.call(
        keys,
        i ->
            caller
                .futures()
                .failOperation(
                    caller.failure(
                        claims.get(i).getAcquired().getClaim(),
                        FailureKind.FAILURE_KIND_FINAL,
                        Failure.newBuilder().setCode("X").setMessage(message).build())));
    var seen = 0;
    var pages = 0;
    var token = "";
    do {
      var page =
          caller.calls().listOperations(caller.list().setPageSize(500).setPageToken(token).build());
      assertThat(page.getSerializedSize()).isLessThan((1 << 20) + 1_000);
      seen += page.getOperationsCount();
      pages++;
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    assertThat(seen).isEqualTo(keys);
    assertThat(pages).isEqualTo(2);
  }
}
