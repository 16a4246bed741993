package dev.hapax.grpc.intent;

import dev.hapax.application.intent.StartFingerprints;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.grpc.run.StartFingerprint;

/** The fingerprints of starts by intents: those of the same calls of StartRun. */
public final class IntentFingerprints implements StartFingerprints {
  @Override
  public Fingerprint of(IntentRequest.Start start) {
    return StartFingerprint.of(
        start.definition().name(),
        start.version().orElse(""),
        start.parameters().input(),
        start.hook().stream().toList(),
        start.parameters().labels(),
        start.signal());
  }
}
