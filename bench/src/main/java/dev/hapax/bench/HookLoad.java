package dev.hapax.bench;

import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalHookRequest;
import dev.hapax.v1.StartRunRequest;
import io.grpc.Channel;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that start runs with a token, and clients that send signals to the token's owner. */
final class HookLoad {
  /** Enough owners: an inbox holds a thousand signals. */
  private static final int OWNERS = 2_000;

  private static final int CALLS_OF_ONE_TOKEN = 1_000;

  private final BenchCalls calls;
  private final RunServiceGrpc.RunServiceBlockingStub runs;
  private final String definition;
  private final AtomicLong number = new AtomicLong();

  HookLoad(Channel channel) {
    this.calls = new BenchCalls(channel);
    this.runs = RunServiceGrpc.newBlockingStub(channel);
    this.definition = RunLoad.define(channel, "hooks", 1);
  }

  /** Starts a run with a token of its own. */
  void startFresh(int lane, ClosedLoopLoad.Next next) {
    start(OperationLoad.newKey(), OnConflict.ON_CONFLICT_REJECT, next);
  }

  /** Starts runs, a thousand in a row with the same token. */
  ClosedLoopLoad.Turn startShared(OnConflict onConflict) {
    var prefix = OperationLoad.newKey();
    return (_, next) ->
        start(prefix + number.getAndIncrement() / CALLS_OF_ONE_TOKEN, onConflict, next);
  }

  private void start(String token, OnConflict onConflict, ClosedLoopLoad.Next next) {
    calls.send(
        RunServiceGrpc.getStartRunMethod(),
        request(token, onConflict).build(),
        next,
        _ -> next.done());
  }

  private StartRunRequest.Builder request(String token, OnConflict onConflict) {
    return StartRunRequest.newBuilder()
        .setDefinition(definition)
        .setIdempotencyKey(OperationLoad.newKey())
        .addHooks(StartRunRequest.Hook.newBuilder().setToken(token).setOnConflict(onConflict));
  }

  /** Sends signals to one owner after the other. */
  ClosedLoopLoad.Turn signal() {
    var prefix = OperationLoad.newKey();
    for (var owner = 0; owner < OWNERS; owner++) {
      var _ = runs.startRun(request(prefix + owner, OnConflict.ON_CONFLICT_REJECT).build());
    }
    return (_, next) ->
        calls.send(
            HookServiceGrpc.getSignalHookMethod(),
            SignalHookRequest.newBuilder()
                .setToken(prefix + number.getAndIncrement() % OWNERS)
                .setSignal(NewSignal.newBuilder().setSignalId(OperationLoad.newKey()))
                .build(),
            next,
            _ -> next.done());
  }
}
