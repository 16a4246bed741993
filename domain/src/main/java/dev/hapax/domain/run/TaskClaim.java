package dev.hapax.domain.run;

import dev.hapax.domain.Fence;

/** What a worker shows of its grant. */
public record TaskClaim(RunId run, int step, long nonce, Fence fence) {
  boolean isOf(int currentStep, TaskGrant grant) {
    return step == currentStep && nonce == grant.nonce() && fence.equals(grant.fence());
  }
}
