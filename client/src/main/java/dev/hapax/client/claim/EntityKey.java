package dev.hapax.client.claim;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.worker.TaskContext;

/**
 * The identity of an entity.
 *
 * @param lifecycle the name of its lifecycle, at most 255 bytes
 * @param id the owner's id of it, unique in the lifecycle; at most 255 characters
 */
public record EntityKey(String lifecycle, String id) {

  /** Checks the limits. */
  public EntityKey {
    required("lifecycle", lifecycle);
    required("id", id);
  }

  /** As the constructor. */
  public static EntityKey of(String lifecycle, String id) {
    return new EntityKey(lifecycle, id);
  }

  /**
   * The entity whose transition started this after-effect.
   *
   * @throws IllegalArgumentException if the task is not of an after-effect
   */
  public static EntityKey of(TaskContext effect) {
    var labels = effect.task().getRun().getLabelsMap();
    return new EntityKey(
        labels.getOrDefault("hapax.lifecycle", ""), labels.getOrDefault("hapax.entity", ""));
  }

  static String required(String name, String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException(name + " must not be empty");
    }
    return KeyText.check(name, text);
  }
}
