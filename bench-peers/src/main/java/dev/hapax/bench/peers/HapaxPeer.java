package dev.hapax.bench.peers;

import dev.hapax.bench.ClaimLoad;
import dev.hapax.bench.OperationLoad;
import dev.hapax.bench.RunLoad;
import dev.hapax.bench.ServerProcess;
import io.grpc.ManagedChannel;
import java.util.Map;

/** Clients and workers of a Hapax server, over one connection. */
final class HapaxPeer implements Peer.Workloads {
  private static final int MANY_STEPS = 10;
  private static final int ENTITIES = 20_000;

  private final ManagedChannel channel;
  private final Map<String, Workload> workloads;

  HapaxPeer(String address) throws InterruptedException {
    this.channel = ServerProcess.connect(address);
    var claims = new ClaimLoad(channel);
    this.workloads =
        Map.of(
            "one-step", Workload.concurrent(RunLoad.worked(channel, "one", 1)::run),
            "one-step-awaited", Workload.concurrent(RunLoad.worked(channel, "awaited", 1)::await),
            "one-step-two-calls",
                Workload.concurrent(RunLoad.worked(channel, "two-calls", 1)::startThenAwait),
            "ten-steps", Workload.concurrent(RunLoad.worked(channel, "ten", MANY_STEPS)::run),
            "one-step-streams",
                Workload.concurrent(new StreamedRuns(channel, "one-streams", 1)::run),
            "ten-steps-streams",
                Workload.concurrent(new StreamedRuns(channel, "ten-streams", MANY_STEPS)::run),
            "start", Workload.concurrent(RunLoad.unworked(channel, "starts", 1)::start),
            "hook", Workload.concurrent(RunLoad.signalled(channel, "hooks")::runWithSignal),
            "pair", Workload.concurrent(new OperationLoad(channel)::pair),
            "action", Workload.concurrent(claims.actOn(claims.create(ENTITIES))));
  }

  @Override
  public Map<String, Workload> all() {
    return workloads;
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}
