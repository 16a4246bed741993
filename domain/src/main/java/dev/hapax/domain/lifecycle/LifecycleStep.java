package dev.hapax.domain.lifecycle;

import java.util.Optional;

/**
 * A way from one status to another.
 *
 * @param id as it was written; only for people
 * @param key by which callers name it
 * @param status the one it leads from
 * @param claim the states meanwhile; where there are none, versions decide
 * @param to the status after success; who has none here may not take the step
 * @param action what is done, by name
 * @param effect what is done after success
 */
public record LifecycleStep(
    Optional<String> id,
    String key,
    String status,
    PerRequester<ClaimStates> claim,
    PerRequester<String> to,
    PerRequester<String> action,
    PerRequester<Effect> effect) {

  /** What the step is for one requester; empty = it is not for this one. */
  public Optional<Transition> move(String requester) {
    return to.of(requester)
        .map(
            target ->
                new Transition(
                    key,
                    requester,
                    status,
                    claim.of(requester),
                    target,
                    action.of(requester),
                    effect.of(requester)));
  }
}
