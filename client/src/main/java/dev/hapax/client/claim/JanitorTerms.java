package dev.hapax.client.claim;

import dev.hapax.client.internal.Limits;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import java.time.Duration;
import java.util.Set;

/**
 * What a module promises: entities do not stay in these claim states when their holder is gone.
 * Immutable: every {@code with…} is a copy.
 *
 * @param module the {@code module} of its lifecycles
 * @param claimStates which ones, of all its lifecycles
 * @param allClaimStates every one, also of lifecycles to come; then {@code claimStates} is empty
 * @param staleAfter how long a holder may be silent, unless it says otherwise. 100 ms to 24 h,
 *     default 5 min
 * @param every how often to look. 100 ms to 24 h, default 2 min
 * @param remote true: the module looks by itself, with a {@link RemoteJanitor}. False: the server
 *     takes the entities back
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
      throw new IllegalArgumentException("claimStates are named beside allClaimStates");
    }
    Limits.within("staleAfter", staleAfter, Duration.ofMillis(100), Duration.ofHours(24));
    Limits.within("every", every, Duration.ofMillis(100), Duration.ofHours(24));
  }

  /** The server takes the entities back: for actions that may run again. */
  public static JanitorTerms hosted(String module, String... claimStates) {
    return new JanitorTerms(module, Set.of(claimStates), false, STALE_AFTER, EVERY, false);
  }

  /** The module looks first whether the action was done, with a {@link RemoteJanitor}. */
  public static JanitorTerms remote(String module, String... claimStates) {
    return new JanitorTerms(module, Set.of(claimStates), false, STALE_AFTER, EVERY, true);
  }

  /** For all claim states of the module, instead of those that are named. */
  public JanitorTerms withAllClaimStates() {
    return new JanitorTerms(module, Set.of(), true, staleAfter, every, remote);
  }

  /** With another {@link #staleAfter}. */
  public JanitorTerms withStaleAfter(Duration staleAfter) {
    return new JanitorTerms(module, claimStates, allClaimStates, staleAfter, every, remote);
  }

  /** With another {@link #every}. */
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
