package dev.hapax.client;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.internal.Timing;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A Hapax in this process, and a client of it, on one clock. */
public final class FakeHapax<C extends Timing> implements AutoCloseable {

  public final C timing;
  public final Faults faults = new Faults();
  public final FakeAccess access = new FakeAccess();
  public final FakeOperations store;
  public final FakeRuns runs;
  public final FakeDefinitions definitions;
  public final FakeWork work;
  public final FakeEntities entities;
  public final FakeLifecycles lifecycles;
  public final FakeJanitors janitors;
  public final FakeIntents intents;
  public final FakeMonitoring monitoring;
  public final ManagedChannel channel;
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
    this.intents = new FakeIntents(faults);
    this.monitoring = new FakeMonitoring(faults);
    String name = InProcessServerBuilder.generateName();
    try {
      server =
          InProcessServerBuilder.forName(name)
              .directExecutor()
              .intercept(access)
              .addService(store)
              .addService(runs)
              .addService(definitions)
              .addService(work)
              .addService(entities)
              .addService(lifecycles)
              .addService(janitors)
              .addService(intents)
              .addService(monitoring)
              .build()
              .start();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  /** Everything happens in the thread of the test; the clock stands still unless advanced. */
  public static FakeHapax<ManualTiming> still() {
    return new FakeHapax<>(new ManualTiming());
  }

  /** On the clock and the timer of production. */
  public static FakeHapax<SystemTiming> live() {
    return new FakeHapax<>(SystemTiming.INSTANCE);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
