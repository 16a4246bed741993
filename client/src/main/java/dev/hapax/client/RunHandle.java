package dev.hapax.client;

import dev.hapax.v1.SignalDisposition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A run of a workflow.
 *
 * @param <O> its result
 */
public final class RunHandle<O extends @Nullable Object> {

  private final Runs runs;
  private final Started started;
  private final Codec<O> output;

  RunHandle(Runs runs, Started started, Codec<O> output) {
    this.runs = runs;
    this.started = started;
    this.output = output;
  }

  /**
   * Its id.
   *
   * @throws HapaxException.HookConflict if the start was rejected; so does each method below
   */
  public String id() {
    return started.run().id();
  }

  /** What became of the start. */
  public Started started() {
    return started;
  }

  /** As {@link Runs#result(String, Codec, Duration)}. */
  public O result(Duration atMost) {
    return runs.result(started, output, atMost);
  }

  /** As {@link Runs#signal(String, String, Object)}. */
  public SignalDisposition signal(String type, @Nullable Object payload) {
    return runs.signal(id(), type, payload);
  }
}
