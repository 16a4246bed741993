package dev.hapax.client.operation;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What is to be done once, without a thread of the caller's. */
@FunctionalInterface
public interface AsyncWork<T extends @Nullable Object> {

  /**
   * Starts it and returns at once: it is called on a thread of the channel, which must not block.
   */
  CompletionStage<T> start(RunningOperation operation);
}
