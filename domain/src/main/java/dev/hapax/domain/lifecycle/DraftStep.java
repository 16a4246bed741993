package dev.hapax.domain.lifecycle;

import dev.hapax.domain.json.Document;
import java.util.Map;
import java.util.Optional;

/**
 * A step as far as it was readable.
 *
 * @param pointer of the step in the document
 * @param claimField the name under which the document gives the claim
 */
record DraftStep(
    String pointer,
    Optional<String> id,
    Optional<String> key,
    Optional<String> status,
    String claimField,
    PerRequester<ClaimStates> claim,
    PerRequester<String> to,
    PerRequester<String> action,
    PerRequester<String> effect) {

  /** The label of the step in violations. */
  Optional<String> label() {
    return key.or(() -> id)
        .or(() -> Optional.of("#" + pointer.substring(pointer.lastIndexOf('/') + 1)));
  }

  String at(String field, Optional<String> requester) {
    var value = Document.pointer(pointer, field);
    return requester.map(name -> Document.pointer(value, name)).orElse(value);
  }

  /** The step with the terms of its after-effects. */
  LifecycleStep finished(Map<String, EffectTerms> terms) {
    return new LifecycleStep(
        id,
        key.orElseThrow(),
        status.orElseThrow(),
        claim,
        to,
        action,
        effect.map(name -> terms.getOrDefault(name, EffectTerms.Queued.DEFAULT).of(name)));
  }
}
