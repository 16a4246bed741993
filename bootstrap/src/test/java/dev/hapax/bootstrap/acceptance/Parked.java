package dev.hapax.bootstrap.acceptance;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.BeginOperationResponse;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/** Clients whose Begins wait for keys that are held. */
final class Parked implements AutoCloseable {
  private static final int WAIT_SECONDS = 30;
  private final Caller client;
  private final List<ListenableFuture<BeginOperationResponse>> waits;

  private Parked(Caller client, List<ListenableFuture<BeginOperationResponse>> waits) {
    this.client = client;
    this.waits = waits;
  }

  /**
   * So many waits on one connection. Calls of a connection are read in order, so once a later one
   * is answered these wait.
   */
  static Parked on(Caller client, int waits, IntFunction<String> key) {
    requireHeld(client, key);
    var calls =
        ConcurrentCalls.send(
            waits,
            i ->
                client
                    .futures()
                    .beginOperation(
                        client.begin(key.apply(i)).setWait(Caller.seconds(WAIT_SECONDS)).build()));
    requireHeld(client, key);
    return new Parked(client, calls);
  }

  private static void requireHeld(Caller client, IntFunction<String> key) {
    if (!client.send(client.begin(key.apply(0))).hasInProgress()) {
      throw new AssertionError("no caller holds the key");
    }
  }

  boolean allWait() {
    return waits.stream().noneMatch(Future::isDone);
  }

  Stream<BeginOperationResponse> answers() {
    return ConcurrentCalls.answers(waits).stream();
  }

  /** The client goes away. */
  @Override
  public void close() {
    client.close();
  }
}
