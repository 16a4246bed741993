package dev.hapax.client;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What can go wrong between the client and Hapax, by rpc: begin, renew, complete, fail and so on.
 */
public final class Faults {

  private final Map<String, Integer> calls = new HashMap<>();
  private final Map<String, Integer> dropped = new HashMap<>();
  private final Map<String, Integer> silenced = new HashMap<>();
  private final Map<String, Runnable> before = new HashMap<>();
  private boolean down;

  /** Whether the server refuses connections. */
  public synchronized void down(boolean down) {
    this.down = down;
  }

  /** The next {@code count} requests take effect, but the connection breaks before their answer. */
  public synchronized void drop(String rpc, int count) {
    dropped.put(rpc, count);
  }

  /** The next {@code count} requests take effect, but no answer ever comes. */
  public synchronized void silence(String rpc, int count) {
    silenced.put(rpc, count);
  }

  /** Runs when a request has arrived and not yet taken effect. */
  public synchronized void before(String rpc, Runnable task) {
    before.put(rpc, task);
  }

  public synchronized int calls(String rpc) {
    return calls.getOrDefault(rpc, 0);
  }

  public <R> void serve(String rpc, StreamObserver<R> answer, Consumer<Consumer<R>> effect) {
    boolean drop;
    boolean silence;
    Runnable task;
    synchronized (this) {
      calls.merge(rpc, 1, Integer::sum);
      if (down) {
        answer.onError(Status.UNAVAILABLE.withDescription("down").asRuntimeException());
        return;
      }
      drop = take(dropped, rpc);
      silence = take(silenced, rpc);
      task = before.remove(rpc);
    }
    try {
      if (task != null) {
        task.run();
      }
      effect.accept(
          response -> {
            if (drop) {
              answer.onError(Status.UNAVAILABLE.withDescription("dropped").asRuntimeException());
            } else if (!silence) {
              answer.onNext(response);
              answer.onCompleted();
            }
          });
    } catch (StatusRuntimeException refused) {
      answer.onError(refused);
    }
  }

  private static boolean take(Map<String, Integer> left, String rpc) {
    int count = left.getOrDefault(rpc, 0);
    left.put(rpc, Math.max(0, count - 1));
    return count > 0;
  }
}
