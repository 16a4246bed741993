package dev.hapax.client;

import dev.hapax.client.internal.DetectedTraces;
import dev.hapax.client.internal.InterruptibleThread;
import io.grpc.Context;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The calls of {@link Hapax} for code that must not block. Each call blocks a thread of {@link
 * Hapax.Builder#executor}: on Java 17, an open call holds a platform thread.
 *
 * <p>A future fails with what the call throws. To cancel it interrupts the call, which changes no
 * run and no record of work that is done.
 */
public final class HapaxAsync {

  private final Hapax hapax;

  /** A call that blocks. */
  @FunctionalInterface
  public interface Call<T extends @Nullable Object> {
    T make(Hapax hapax) throws Exception;
  }

  HapaxAsync(Hapax hapax) {
    this.hapax = hapax;
  }

  /** Makes any call, such as {@code async.call(hapax -> hapax.runs().get(id))}. */
  public <T extends @Nullable Object> CompletableFuture<T> call(Call<? extends T> call) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Runnable task = Context.current().fork().wrap(() -> make(call, answer));
    try {
      hapax.connection().executor().execute(DetectedTraces.INSTANCE.wrap(task));
    } catch (RejectedExecutionException refused) {
      answer.completeExceptionally(refused);
    }
    return answer;
  }

  private <T extends @Nullable Object> void make(
      Call<? extends T> call, CompletableFuture<T> answer) {
    if (answer.isDone()) {
      return;
    }
    InterruptibleThread thread =
        new InterruptibleThread(
            interrupt -> {
              var unused =
                  answer.whenComplete(
                      (value, error) -> {
                        if (answer.isCancelled()) {
                          interrupt.run();
                        }
                      });
            });
    try {
      T value = call.make(hapax);
      thread.ended();
      answer.complete(value);
    } catch (Throwable thrown) {
      thread.ended();
      answer.completeExceptionally(thrown);
    }
  }

  /** As {@link Hapax#once(String, String, Class, Work)}. */
  public <T extends @Nullable Object> CompletableFuture<T> once(
      String operation, String requestId, Class<T> type, Work<? extends T, ?> work) {
    return once(Operation.of(operation, requestId), Codec.json(type), work);
  }

  /** As {@link Hapax#once(String, String, Effect)}. */
  public CompletableFuture<@Nullable Void> once(
      String operation, String requestId, Effect<?> effect) {
    return call(
        hapax -> {
          hapax.once(operation, requestId, effect);
          return null;
        });
  }

  /** As {@link Hapax#once(Operation, Class, Work)}. */
  public <T extends @Nullable Object> CompletableFuture<T> once(
      Operation operation, Class<T> type, Work<? extends T, ?> work) {
    return once(operation, Codec.json(type), work);
  }

  /** As {@link Hapax#once(Operation, Codec, Work)}. */
  public <T extends @Nullable Object> CompletableFuture<T> once(
      Operation operation, Codec<T> codec, Work<? extends T, ?> work) {
    return call(hapax -> hapax.once(operation, codec, work));
  }

  /** As {@link Hapax#tryOnce(Operation, Class, Work)}. */
  public <T extends @Nullable Object> CompletableFuture<OnceOutcome<T>> tryOnce(
      Operation operation, Class<T> type, Work<? extends T, ?> work) {
    return tryOnce(operation, Codec.json(type), work);
  }

  /** As {@link Hapax#tryOnce(Operation, Codec, Work)}. */
  public <T extends @Nullable Object> CompletableFuture<OnceOutcome<T>> tryOnce(
      Operation operation, Codec<T> codec, Work<? extends T, ?> work) {
    return call(hapax -> hapax.tryOnce(operation, codec, work));
  }

  /** As {@link Runs#start(String, UnaryOperator)}. */
  public CompletableFuture<Started> start(String definition, UnaryOperator<StartOptions> options) {
    return call(hapax -> hapax.runs().start(definition, options));
  }

  /** As {@link Runs#start(Workflow, String, Object)}. */
  public <I extends @Nullable Object, O extends @Nullable Object>
      CompletableFuture<RunHandle<O>> start(Workflow<I, O> workflow, String key, I input) {
    return start(workflow, key, input, UnaryOperator.identity());
  }

  /** As {@link Runs#start(Workflow, String, Object, UnaryOperator)}. */
  public <I extends @Nullable Object, O extends @Nullable Object>
      CompletableFuture<RunHandle<O>> start(
          Workflow<I, O> workflow, String key, I input, UnaryOperator<StartOptions> options) {
    return call(hapax -> hapax.runs().start(workflow, key, input, options));
  }

  /** As {@link Runs#result(String, Class, Duration)}. */
  public <T> CompletableFuture<T> result(String runId, Class<T> type, Duration atMost) {
    return result(runId, Codec.json(type), atMost);
  }

  /** As {@link Runs#result(String, Codec, Duration)}. */
  public <T extends @Nullable Object> CompletableFuture<T> result(
      String runId, Codec<T> codec, Duration atMost) {
    return call(hapax -> hapax.runs().result(runId, codec, atMost));
  }
}
