package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import java.time.Duration;
import java.util.List;

/**
 * The contract of the janitor of a module: it recovers entities in these claim states when the
 * lease of their holder has expired. Immutable: each method returns a copy.
 */
public final class JanitorTerms {

  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofHours(24);

  private final JanitorContract message;

  private JanitorTerms(JanitorContract.Builder message) {
    this.message = message.build();
  }

  /**
   * A hosted janitor: the server reverts entities. For actions that may run again.
   *
   * @param module of the lifecycles
   * @param claimStates that it covers, in all lifecycles of the module
   */
  public static JanitorTerms hosted(String module, String... claimStates) {
    return of(JanitorMode.JANITOR_MODE_HOSTED, module, claimStates);
  }

  /**
   * A remote janitor: the module finds out with a {@link Janitor} whether the action took effect.
   *
   * @param module of the lifecycles
   * @param claimStates that it covers, in all lifecycles of the module
   */
  public static JanitorTerms remote(String module, String... claimStates) {
    return of(JanitorMode.JANITOR_MODE_REMOTE, module, claimStates);
  }

  private static JanitorTerms of(JanitorMode mode, String module, String... claimStates) {
    for (String state : claimStates) {
      KeyText.required("claim state", state);
    }
    return new JanitorTerms(
            JanitorContract.newBuilder()
                .setModule(KeyText.required("module", module))
                .addAllClaimStates(List.of(claimStates))
                .setMode(mode))
        .staleAfter(Duration.ofMinutes(5))
        .every(Duration.ofMinutes(2));
  }

  /** Covers each claim state, also of later lifecycles, instead of those that are named. */
  public JanitorTerms allClaimStates() {
    return new JanitorTerms(message.toBuilder().clearClaimStates().setAllClaimStates(true));
  }

  /** The lease of holders that ask for none; 100 ms to 24 h. Default 5 min. */
  public JanitorTerms staleAfter(Duration staleAfter) {
    Ranges.within("staleAfter", staleAfter, SHORTEST, LONGEST);
    return new JanitorTerms(message.toBuilder().setStaleAfter(ProtoTimes.toProto(staleAfter)));
  }

  /** The interval of sweeps; 100 ms to 24 h. Default 2 min. */
  public JanitorTerms every(Duration every) {
    Ranges.within("every", every, SHORTEST, LONGEST);
    return new JanitorTerms(message.toBuilder().setEvery(ProtoTimes.toProto(every)));
  }

  JanitorContract message() {
    return message;
  }
}
