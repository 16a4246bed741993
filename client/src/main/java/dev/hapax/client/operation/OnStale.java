package dev.hapax.client.operation;

/** The policy for an operation whose holder let the lease expire. */
public enum OnStale {
  /**
   * The next call runs the work again, with a higher fence. For work that may run twice or whose
   * target checks the fence.
   */
  TAKE_OVER(dev.hapax.v1.OnStale.ON_STALE_TAKE_OVER),
  /** The operation waits for its holder or an operator. For work that must never run twice. */
  HOLD(dev.hapax.v1.OnStale.ON_STALE_HOLD);

  private final dev.hapax.v1.OnStale message;

  OnStale(dev.hapax.v1.OnStale message) {
    this.message = message;
  }

  dev.hapax.v1.OnStale toProto() {
    return message;
  }
}
