package dev.hapax.client;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;

/** A Hapax in this process, and a client of it, on one clock. */
final class FakeHapax<C extends Timing> implements AutoCloseable {

  final C timing;
  final Faults faults = new Faults();
  final FakeOperations store;
  final FakeRuns runs;
  final FakeDefinitions definitions;
  final FakeWork work;
  final FakeEntities entities;
  final FakeLifecycles lifecycles;
  final FakeJanitors janitors;
  final ManagedChannel channel;
  private final Server server;

  private FakeHapax(C timing) {
    this.timing = timing;
    this.store = new FakeOperations(timing, faults);
    this.runs = new FakeRuns(timing, faults);
    this.definitions = new FakeDefinitions(faults);
    this.work = new FakeWork(timing, faults);
    this.entities = new FakeEntities(timing, faults);
    this.lifecycles = new FakeLifecycles(faults);
    this.janitors = new FakeJanitors(timing, faults);
    String name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .addService(store)
              .addService(runs)
              .addService(definitions)
              .addService(work)
              .addService(entities)
              .addService(lifecycles)
              .addService(janitors)
              .build()
              .start();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  /** Everything happens in the thread of the test; the clock stands still unless advanced. */
  static FakeHapax<ManualTiming> still() {
    return new FakeHapax<>(new ManualTiming());
  }

  /** On the clock and the timer of production. */
  static FakeHapax<SystemTiming> live() {
    return new FakeHapax<>(SystemTiming.INSTANCE);
  }

  Operations.Builder client() {
    return Operations.newBuilder(channel).timing(timing).tryTimeout(Duration.ofMillis(500));
  }

  RunsBuilder runs() {
    return Runs.newBuilder(channel).timing(timing).tryTimeout(Duration.ofMillis(500));
  }

  ClaimsBuilder claims() {
    return Claims.newBuilder(channel).timing(timing).tryTimeout(Duration.ofMillis(500));
  }

  RemoteJanitorBuilder janitor() {
    return RemoteJanitor.newBuilder(channel, "payments")
        .timing(timing)
        .workerId("janitor-1")
        .tryTimeout(Duration.ofMillis(500));
  }

  WorkerBuilder worker() {
    return Worker.newBuilder(channel)
        .timing(timing)
        .clock(new TimingClock(timing))
        .tryTimeout(Duration.ofMillis(500));
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
