package dev.hapax.client.claim;

import dev.hapax.v1.Recovery;

/** Looks into the module's own tables what became of an action whose holder is gone. */
@FunctionalInterface
public interface RecoveryCheck {

  /**
   * Looks. First it makes sure that the holder, which may only have stood still, can write nothing
   * any more: it raises the fence in its own table to that of the recovery ({@code
   * recovery.getClaim()}), in the transaction in which it then looks for what was written with the
   * fence of the lost action ({@code recovery.getLost()}).
   *
   * <p>It may be called again for the same entity, here or elsewhere, with a higher fence.
   *
   * @throws Exception when it cannot tell: the recovery is handed out again when its lease is over
   */
  RecoveryVerdict check(Recovery recovery) throws Exception;
}
