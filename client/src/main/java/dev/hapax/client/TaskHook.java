package dev.hapax.client;

import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A token of a code step, from {@link Task#hook}. {@link #await} and the iterator, which never
 * ends, return the payloads of the signals sent to it.
 *
 * <pre>{@code
 * try (TaskHook<Confirmation> hook =
 *     task.hook(HookRequest.of("order/" + order), Confirmation.class)) {
 *   Optional<Owner> other = hook.conflict();
 *   if (other.isPresent()) {
 *     return "duplicate of " + other.get().runId();
 *   }
 *   Confirmation confirmation = hook.await();
 * }
 * }</pre>
 */
public final class TaskHook<T extends @Nullable Object> implements AutoCloseable, Iterable<T> {

  private final Task task;
  private final HookRequest request;
  private final String name;
  private final Codec<T> codec;
  private final HookAnswer answer;
  private int received;

  TaskHook(Task task, HookRequest request, String name, Codec<T> codec, HookAnswer answer) {
    this.task = task;
    this.request = request;
    this.name = name;
    this.codec = codec;
    this.answer = answer;
  }

  /**
   * The other run that owns the token. The first answer is recorded for every execution.
   *
   * @return empty = this run owns it
   */
  public Optional<Owner> conflict() {
    return answer.conflict();
  }

  /**
   * The payload of the next signal sent to this token, in order of arrival.
   *
   * @throws HapaxException.HookConflict if another run owns the token
   */
  public T await() {
    answer
        .conflict()
        .ifPresent(
            owner -> {
              throw new HapaxException.HookConflict(owner);
            });
    received++;
    return task.awaitSignal(Wait.token(name + "." + received, codec, answer.fingerprint()));
  }

  @Override
  public Iterator<T> iterator() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return true;
      }

      @Override
      public T next() {
        return await();
      }
    };
  }

  /**
   * Frees the token with the next durable call of the step, or at its end. An execution that ends
   * because it waits or fails keeps it for the next one.
   */
  @Override
  public void close() {
    if (answer.conflict().isEmpty()) {
      task.disposeLater(request.token());
    }
  }
}
