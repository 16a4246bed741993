package dev.hapax.client;

import dev.hapax.v1.CreateHookResponse;
import dev.hapax.v1.Payload;

/** The part of a code step that asks for a token, and records the answer. */
record HookPart(Execution execution, PartScope names, ExecutionEnding ending, PartScope.Use use) {

  Payload ask(HookRequest request) {
    execution.checkFits(names, ending, use.name());
    CreateHookResponse response = execution.createHook(request);
    // without the token, which is a secret
    CreateHookResponse.Builder kept = CreateHookResponse.newBuilder();
    if (response.hasConflict()) {
      kept.setConflict(response.getConflict());
    } else {
      kept.setAlready(response.getAlready())
          .getHookBuilder()
          .setFingerprint(response.getHook().getFingerprint());
    }
    Payload answer = Payload.newBuilder().setBinary(kept.build().toByteString()).build();
    return execution.reports().report(use.record(answer)).getRecorded().getOutput();
  }
}
