package dev.hapax.client.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where a worker gets its tasks from. */
public interface TaskSource {

  /** There is room for more. */
  void next();

  /** Asks for no more. Done when it is known what the last request brought. */
  CompletableFuture<@Nullable Void> stop();

  /** What was brought has ended: nothing more is to be sent. */
  default void close() {}
}
