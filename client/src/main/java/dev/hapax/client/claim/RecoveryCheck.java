package dev.hapax.client.claim;

import dev.hapax.v1.Recovery;

/** Checks in the module's own tables whether the action of an expired holder took effect. */
@FunctionalInterface
public interface RecoveryCheck {

  /**
   * Checks an entity. First it must stop the former holder, which may only be slow, from writing:
   * it raises the fence in its own table to that of the recovery ({@code recovery.getClaim()}). In
   * the same transaction it then searches for data with the fence of the lost action ({@code
   * recovery.getLost()}).
   *
   * <p>It may be called again for the same entity, here or elsewhere, with a higher fence.
   *
   * @throws Exception if it cannot decide: the recovery is handed out again when its lease expires
   */
  RecoveryVerdict check(Recovery recovery) throws Exception;
}
