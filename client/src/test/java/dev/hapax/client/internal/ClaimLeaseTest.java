package dev.hapax.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.ManualTiming;
import dev.hapax.v1.Claim;
import dev.hapax.v1.ClaimLostReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimLeaseTest {
  private final ManualTiming timing = new ManualTiming();
  private final List<String> losses = new ArrayList<>();
  private final ClaimLease lease =
      new ClaimLease(
          timing,
          Claim.getDefaultInstance(),
          new RetryingCalls.Answer<>("granted", timing.nanos(), 0),
          Duration.ofSeconds(10),
          Duration.ofHours(1),
          () -> losses.add("owner"));

  @Test
  @DisplayName("a caller that waits for the revocation then reads its reason")
  void reason() {
    List<ClaimLostReason> read = new ArrayList<>();
    CompletableFuture<Void> waiting =
        lease.revocation().thenRun(() -> read.add(lease.lostReason()));

    lease.revoke(ClaimLostReason.CLAIM_LOST_REASON_SUPERSEDED);

    assertThat(waiting).isDone();
    assertThat(read).containsExactly(ClaimLostReason.CLAIM_LOST_REASON_SUPERSEDED);
  }

  @Test
  @DisplayName("a lease that expires and is revoked then is reported once, with the first reason")
  void once() {
    lease.onLost(() -> losses.add("listener"));
    timing.advance(Duration.ofSeconds(10));
    assertThat(lease.isLost()).isTrue();
    assertThat(lease.isRevoked()).isFalse();

    lease.revoke(ClaimLostReason.CLAIM_LOST_REASON_SUPERSEDED);

    assertThat(lease.isRevoked()).isTrue();
    assertThat(lease.lostReason()).isEqualTo(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
    assertThat(losses).containsExactly("owner", "listener");
  }
}
