package dev.hapax.client;

/**
 * An entity whose holder's lease expired during an action.
 *
 * @param message as Hapax sent it
 */
public record Recovery(dev.hapax.v1.Recovery message) {

  /** The entity, in the claim state. */
  public Entity entity() {
    return new Entity(message.getEntity());
  }

  /** The step that the lost holder began. */
  public String step() {
    return message.getLost().getStepKey();
  }

  /** The fence of this recovery, higher than {@link #lostFence}: refuse lower ones from now on. */
  public long fence() {
    return message.getClaim().getFence();
  }

  /** The fence of the lost action, which its writes carry. */
  public long lostFence() {
    return message.getLost().getFence();
  }
}
