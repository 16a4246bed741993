package dev.hapax.client.worker;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a {@link PartVerifier} found out: the part took effect, or not. Immutable. */
public final class Evidence<T extends @Nullable Object> {

  // at most one, which may be null
  private final List<T> output;

  private Evidence(List<T> output) {
    this.output = output;
  }

  /** The part took effect: this is its output, which may be null. The body does not run again. */
  public static <T extends @Nullable Object> Evidence<T> done(T value) {
    return new Evidence<>(Collections.singletonList(value));
  }

  /** The part did not take effect, and will not: its body runs again. */
  public static <T extends @Nullable Object> Evidence<T> notDone() {
    return new Evidence<>(List.of());
  }

  /** {@link #done} with the value, or {@link #notDone} if there is none. */
  public static <T> Evidence<T> of(Optional<? extends T> found) {
    return found.isPresent() ? done(found.get()) : notDone();
  }

  boolean isDone() {
    return !output.isEmpty();
  }

  T value() {
    return output.get(0);
  }
}
