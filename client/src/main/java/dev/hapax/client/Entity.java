package dev.hapax.client;

/**
 * An entity, as it was when Hapax sent it.
 *
 * @param message as Hapax sent it
 */
public record Entity(dev.hapax.v1.Entity message) {

  /** The name of its lifecycle. */
  public String lifecycle() {
    return message.getLifecycle();
  }

  /** Its id. */
  public String id() {
    return message.getId();
  }

  /** Its status. */
  public String status() {
    return message.getStatus();
  }

  /** Rises by one with each event. */
  public long version() {
    return message.getVersion();
  }
}
