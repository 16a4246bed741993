package dev.hapax.client.worker;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.hook.HookAnswer;
import dev.hapax.client.hook.HookOwner;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.run.AwaitedSignal;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A token of a workflow, from {@link WorkflowContext#hook}. {@link #await} and the iterator, which
 * never ends, return the payloads of the signals sent to it.
 *
 * <pre>{@code
 * try (WorkflowHook<String> request = context.hook(HookRequest.of("order/" + order), PayloadCodec.json())) {
 *   Optional<HookOwner> conflict = request.conflict();
 *   if (conflict.isPresent()) {
 *     return "duplicate of " + conflict.get().runId();
 *   }
 *   String confirmation = request.await();
 *   return context.record("charge", partId -> payments.charge(partId, order));
 * }
 * }</pre>
 */
public final class WorkflowHook<T extends @Nullable Object> implements AutoCloseable, Iterable<T> {

  private final WorkflowContext context;
  private final HookRequest request;
  private final String name;
  private final PayloadCodec<T> codec;
  private final HookAnswer answer;
  private int received;

  WorkflowHook(
      WorkflowContext context,
      HookRequest request,
      String name,
      PayloadCodec<T> codec,
      HookAnswer answer) {
    this.context = context;
    this.request = request;
    this.name = name;
    this.codec = codec;
    this.answer = answer;
  }

  /**
   * The other run that owns the token. The first answer is recorded for every execution of the
   * workflow.
   *
   * @return empty = this run owns it
   */
  public Optional<HookOwner> conflict() {
    return answer.conflict();
  }

  /**
   * The payload of the next signal sent to this token, in order of arrival.
   *
   * @throws HookConflictException if another run owns the token
   */
  public T await() {
    if (answer.conflict().isPresent()) {
      throw new HookConflictException(answer.conflict().get());
    }
    received++;
    return context.awaitSignal(
        name + "." + received, AwaitedSignal.ofHook(answer.fingerprint()), codec);
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
   * Frees the token with the next durable call of the workflow, or at its end. An execution that
   * ends because it waits or fails keeps it for the next one.
   */
  @Override
  public void close() {
    if (answer.conflict().isEmpty()) {
      context.disposeLater(request.token());
    }
  }
}
