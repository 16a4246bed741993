package dev.hapax.client.internal;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A source of tasks for a worker. */
public interface TaskSource {

  /** Requests more tasks: there is free capacity. */
  void next();

  /** Requests no more tasks. Done when the result of the last request is known. */
  CompletableFuture<@Nullable Void> stop();

  /** Closes the source: all its tasks have ended. */
  default void close() {}
}
