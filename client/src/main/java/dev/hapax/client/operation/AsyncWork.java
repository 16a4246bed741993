package dev.hapax.client.operation;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asynchronous work that runs once per request id. */
@FunctionalInterface
public interface AsyncWork<T extends @Nullable Object> {

  /** Starts the work without blocking: it runs on a thread of the channel. */
  CompletionStage<T> start(RunningOperation operation);
}
