package dev.hapax.grpc.entity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.ActionClaim;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.grpc.call.ClaimKind;
import dev.hapax.v1.Claim;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ActionClaimsTest {
  private static final Workspace WORKSPACE = Workspace.DEFAULT;
  private static final Duration LEASE = Duration.ofSeconds(90);
  private final ActionClaims claims = new ActionClaims(new KeyedIds(new byte[32]));

  private static ActionClaim claim(String name, boolean exclusive, boolean hasEffect) {
    return new ActionClaim(
        new EntityId(WORKSPACE, name.substring(0, Math.min(name.length(), 126)), name),
        name,
        name,
        name,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        new Fence(42),
        exclusive,
        hasEffect,
        Long.MIN_VALUE + 1);
  }

  @Test
  @DisplayName(
      "given a claim with the longest names, when it is decoded, then it equals the original")
  void roundTrip() {
    for (var name : List.of("a", "invoice/1", "😀".repeat(255))) {
      for (var exclusive : List.of(true, false)) {
        var claim = claim(name, exclusive, !exclusive);
        var sent = claims.write(claim, LEASE);
        assertThat(sent.getFence()).isEqualTo(42);
        assertThat(ClaimKind.workspaceOf(sent)).contains(WORKSPACE);
        assertThat(sent.getId().length()).isLessThan(8 * 1024);
        for (var workspace : List.of("", "default")) {
          assertThat(claims.read(workspace, sent).found())
              .contains(new ActionClaims.Granted(claim, LEASE));
        }
      }
    }
  }

  @Test
  @DisplayName("given a changed bit, fence or workspace, then the claim is not found [X4]")
  void forged() {
    var sent = claims.write(claim("invoice/1", false, true), LEASE);
    assertThat(claims.read("elsewhere", sent).found()).isEmpty();
    assertThat(claims.read("", sent.toBuilder().setFence(43).build()).found()).isEmpty();
    var prefix = "action_".length();
    var bytes = Base64.getUrlDecoder().decode(sent.getId().substring(prefix));
    for (var i = 0; i < bytes.length * Byte.SIZE; i++) {
      var changed = bytes.clone();
      changed[i / Byte.SIZE] ^= (byte) (1 << (i % Byte.SIZE));
      var text = Base64.getUrlEncoder().withoutPadding().encodeToString(changed);
      var forged = sent.toBuilder().setId("action_" + text).build();
      assertThat(claims.read("", forged).found()).as("bit " + i).isEmpty();
    }
    var elsewhere = new ActionClaims(new KeyedIds(new byte[] {1}));
    assertThat(elsewhere.read("", sent).found()).isEmpty();
  }

  @Test
  @DisplayName("given an id that this server did not make, then no claim is found [X4]")
  void foreign() {
    for (var id :
        List.of("op_AAAA", "action_", "action_!", "action_😀", "action_" + "A".repeat(100), "😀")) {
      assertThat(claims.read("", Claim.newBuilder().setId(id).build()).found()).as(id).isEmpty();
    }
  }

  @Test
  @DisplayName("given an id that is missing, then the error names the field [X4]")
  void refused() {
    assertThatThrownBy(() -> claims.read("", Claim.getDefaultInstance()))
        .hasMessage("claim.id is required");
  }
}
