package dev.hapax.domain.run;

import dev.hapax.domain.Fence;

/** The proof with which a worker refers to its grant. */
public record TaskClaim(RunId run, int step, long nonce, Fence fence) {
  boolean isOf(int currentStep, TaskGrant grant) {
    return step == currentStep && nonce == grant.nonce() && fence.equals(grant.fence());
  }
}
