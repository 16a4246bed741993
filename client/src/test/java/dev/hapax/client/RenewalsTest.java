package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Empty;
import dev.hapax.client.Calls.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Claims with a lease of 30 s, which are renewed every 10 s. */
class RenewalsTest {

  private static final Duration LEASE = Duration.ofSeconds(30);

  private final ManualTiming timing = new ManualTiming();
  private final Renewals renewals = new Renewals(timing);
  private final Server server = new Server();
  private final List<String> lost = new ArrayList<>();

  /** Renews at once unless it is down. */
  private final class Server implements Renewals.Renewal {
    private final List<Integer> batches = new ArrayList<>();
    private boolean isDown;

    @Override
    public CompletableFuture<?> send(List<Claim> due) {
      batches.add(due.size());
      for (Claim claim : due) {
        if (isDown) {
          claim.lease().notRenewed();
        } else {
          claim.lease().renewed(answer(), LEASE);
        }
      }
      return CompletableFuture.completedFuture(null);
    }
  }

  private Answer<Empty> answer() {
    return new Answer<>(Empty.getDefaultInstance(), timing.nanos(), 0);
  }

  private Claim claim(String id, Duration holdAtMost) {
    return Claim.of(
        new Claim.Grant(
            dev.hapax.v1.Claim.newBuilder().setId(id).build(),
            1,
            false,
            false,
            SqlCompletion.UNTRACKED),
        timing,
        answer(),
        LEASE,
        holdAtMost,
        () -> lost.add(id));
  }

  private Claim hold() {
    Claim claim = claim("claim", Duration.ofHours(1));
    renewals.hold(claim, server);
    return claim;
  }

  private void advance(long seconds) {
    timing.advance(Duration.ofSeconds(seconds));
  }

  @Test
  @DisplayName("given a claim, then it is renewed at a third of its lease until it is released")
  void third() {
    Claim claim = hold();

    advance(9);
    assertThat(server.batches).isEmpty();
    advance(1);
    assertThat(server.batches).containsExactly(1);
    advance(50);
    assertThat(server.batches).hasSize(6);

    renewals.release(claim);
    advance(60);
    assertThat(server.batches).hasSize(6);
    assertThat(claim.isLost()).isTrue();
  }

  @Test
  @DisplayName("given many claims, then there is one timer, and none when the last is released")
  void oneTimer() {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      claims.add(hold());
      timing.advance(Duration.ofMillis(10));
      assertThat(timing.pending()).isEqualTo(1);
    }
    advance(60);
    assertThat(timing.pending()).isEqualTo(1);

    claims.subList(1, 100).forEach(renewals::release);
    assertThat(timing.pending()).isEqualTo(1);
    renewals.release(claims.get(0));
    assertThat(timing.pending()).isZero();
  }

  @Test
  @DisplayName("given claims that are nearly due together, then one call renews them, at most 500")
  void batches() {
    for (int i = 0; i < 501; i++) {
      hold();
    }
    advance(4);
    hold(); // due 4 s after the others, so it joins them
    advance(2);
    hold(); // due 6 s after the others
    advance(4);
    assertThat(server.batches).containsExactly(500, 2);
    advance(6); // the others, due in 4 s again, join it
    assertThat(server.batches).containsExactly(500, 2, 500, 3);
  }

  @Test
  @DisplayName("given claims of two kinds, then each kind has its own call")
  void kinds() {
    Server other = new Server();
    hold();
    hold();
    renewals.hold(claim("other", Duration.ofHours(1)), other);

    advance(10);

    assertThat(server.batches).containsExactly(2);
    assertThat(other.batches).containsExactly(1);
  }

  @Test
  @DisplayName(
      "given renewals that fail, then they are repeated until the claim expires, once lost")
  void failing() {
    server.isDown = true;
    Claim claim = hold();

    advance(10);
    assertThat(server.batches).hasSize(1);
    advance(2);
    assertThat(server.batches).hasSize(2);
    advance(14);
    assertThat(lost).isEmpty();
    assertThat(claim.leaseLeft()).isEqualTo(Duration.ofSeconds(1));
    advance(10);
    assertThat(lost).containsExactly("claim");
    assertThat(claim.isLost()).isTrue();

    server.isDown = false;
    int before = server.batches.size();
    advance(60);
    assertThat(lost).containsExactly("claim");
    assertThat(server.batches).hasSizeLessThanOrEqualTo(before + 6);
  }

  @Test
  @DisplayName("given holdAtMost, then a claim is not renewed after it")
  void holdAtMost() {
    Claim claim = claim("claim", Duration.ofSeconds(25));
    renewals.hold(claim, server);

    advance(40);
    assertThat(server.batches).hasSize(2);
    advance(20);
    assertThat(lost).containsExactly("claim");
    assertThat(server.batches).hasSize(2);
  }

  @Test
  @DisplayName("given a revoked claim, then it is not renewed")
  void revoked() {
    Claim claim = hold();
    claim.lease().revoke(dev.hapax.v1.ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);

    advance(60);
    assertThat(server.batches).isEmpty();
    assertThat(lost).containsExactly("claim");
  }

  @Test
  @DisplayName("given most of its lease, when a claim is about to be locked, then it is released")
  void lastEarly() {
    Claim claim = hold();
    advance(5);

    renewals.renewLast(claim);

    assertThat(server.batches).isEmpty();
    assertThat(timing.pending()).isZero();
  }

  @Test
  @DisplayName("given less than half of its lease, then the claim is renewed before it is locked")
  void lastLate() {
    server.isDown = true;
    Claim claim = hold();
    advance(20);
    int before = server.batches.size();
    server.isDown = false;

    renewals.renewLast(claim);

    assertThat(server.batches).hasSize(before + 1);
    assertThat(claim.leaseLeft()).isEqualTo(Duration.ofSeconds(27));
    advance(20);
    assertThat(server.batches).hasSize(before + 1);
    assertThat(timing.pending()).isZero();
  }

  @Test
  @DisplayName("given a renewal in flight, when the thread is interrupted, then the flag stays")
  void lastInterrupted() {
    CompletableFuture<Void> never = new CompletableFuture<>();
    Claim claim = claim("claim", Duration.ofHours(1));
    renewals.hold(claim, due -> never);
    advance(10);
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> renewals.renewLast(claim))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  @DisplayName(
      "given a renewal in flight, when the claim is about to be locked, then it ends first")
  void lastWaits() throws Exception {
    CompletableFuture<Void> sent = new CompletableFuture<>();
    Claim claim = claim("claim", Duration.ofHours(1));
    renewals.hold(claim, due -> sent);
    advance(10);
    Thread holder = new Thread(() -> renewals.renewLast(claim));
    holder.start();
    Conditions.until(() -> holder.getState() == Thread.State.WAITING);

    claim.lease().renewed(answer(), LEASE);
    sent.complete(null);

    holder.join();
    assertThat(timing.pending()).isZero();
  }
}
