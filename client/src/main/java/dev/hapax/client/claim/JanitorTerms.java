package dev.hapax.client.claim;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import java.time.Duration;
import java.util.Set;

/**
 * The contract of a module's janitor: it recovers entities in these claim states after their
 * holder's lease expired. Immutable: every {@code with…} is a copy.
 *
 * @param module the {@code module} of its lifecycles
 * @param claimStates the covered claim states, in all its lifecycles
 * @param allClaimStates covers every claim state, also of future lifecycles; then {@code
 *     claimStates} is empty
 * @param staleAfter the default lease of a holder. 100 ms to 24 h, default 5 min
 * @param every the interval of sweeps. 100 ms to 24 h, default 2 min
 * @param remote true: the module recovers entities itself, with a {@link RemoteJanitor}. False: the
 *     server reverts them
 */
public record JanitorTerms(
    String module,
    Set<String> claimStates,
    boolean allClaimStates,
    Duration staleAfter,
    Duration every,
    boolean remote) {

  private static final Duration STALE_AFTER = Duration.ofMinutes(5);
  private static final Duration EVERY = Duration.ofMinutes(2);

  /** Checks the limits. */
  public JanitorTerms {
    EntityKey.required("module", module);
    claimStates = Set.copyOf(claimStates);
    claimStates.forEach(state -> EntityKey.required("claim state", state));
    if (allClaimStates && !claimStates.isEmpty()) {
      throw new IllegalArgumentException("claimStates must be empty if allClaimStates is set");
    }
    Limits.within("staleAfter", staleAfter, Duration.ofMillis(100), Duration.ofHours(24));
    Limits.within("every", every, Duration.ofMillis(100), Duration.ofHours(24));
  }

  /** A hosted janitor: the server reverts entities. For actions that may run again. */
  public static JanitorTerms hosted(String module, String... claimStates) {
    return new JanitorTerms(module, Set.of(claimStates), false, STALE_AFTER, EVERY, false);
  }

  /**
   * A remote janitor: the module checks with a {@link RemoteJanitor} whether the action took
   * effect.
   */
  public static JanitorTerms remote(String module, String... claimStates) {
    return new JanitorTerms(module, Set.of(claimStates), false, STALE_AFTER, EVERY, true);
  }

  /** Returns a copy for all claim states of the module, instead of those that are named. */
  public JanitorTerms withAllClaimStates() {
    return new JanitorTerms(module, Set.of(), true, staleAfter, every, remote);
  }

  /** Returns a copy with another {@link #staleAfter}. */
  public JanitorTerms withStaleAfter(Duration staleAfter) {
    return new JanitorTerms(module, claimStates, allClaimStates, staleAfter, every, remote);
  }

  /** Returns a copy with another {@link #every}. */
  public JanitorTerms withEvery(Duration every) {
    return new JanitorTerms(module, claimStates, allClaimStates, staleAfter, every, remote);
  }

  JanitorContract toProto() {
    return JanitorContract.newBuilder()
        .setModule(module)
        .addAllClaimStates(claimStates)
        .setAllClaimStates(allClaimStates)
        .setStaleAfter(ProtoTimes.toProto(staleAfter))
        .setEvery(ProtoTimes.toProto(every))
        .setMode(remote ? JanitorMode.JANITOR_MODE_REMOTE : JanitorMode.JANITOR_MODE_HOSTED)
        .build();
  }
}
