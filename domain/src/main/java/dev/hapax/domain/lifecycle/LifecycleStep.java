package dev.hapax.domain.lifecycle;

import java.util.Optional;

/**
 * A step of a lifecycle: a way from one status to another.
 *
 * @param id as in the document; for display only
 * @param key by which callers refer to it
 * @param status in which it begins
 * @param claim the statuses of the claim; if absent, the entity's version decides
 * @param to the status after success; a requester without one may not take the step
 * @param action the name of the action
 * @param effect the after-effect of success
 */
public record LifecycleStep(
    Optional<String> id,
    String key,
    String status,
    PerRequester<ClaimStates> claim,
    PerRequester<String> to,
    PerRequester<String> action,
    PerRequester<Effect> effect) {

  /** The transition of this step for one requester; empty = the requester may not take it. */
  public Optional<Transition> transition(String requester) {
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
