package dev.hapax.client;

import dev.hapax.client.claim.RemoteJanitorBuilder;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.internal.Timing;
import dev.hapax.client.worker.WorkerBuilder;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.UnaryOperator;

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

  /** A client of this server with short timeouts. */
  public HapaxClient client() {
    return client(options -> options);
  }

  /** As {@link #client()}, with other options. */
  public HapaxClient client(UnaryOperator<ClientOptions> change) {
    return client(channel, change);
  }

  /** As {@link #client(UnaryOperator)}, over another channel. */
  public HapaxClient client(Channel over, UnaryOperator<ClientOptions> change) {
    ClientOptions options = ClientOptions.DEFAULT.withTryTimeout(Duration.ofMillis(500));
    return new HapaxClient(new ClientConnection(over, change.apply(options), timing));
  }

  /** A janitor of the module {@code payments}. */
  public RemoteJanitorBuilder janitor() {
    return janitor(options -> options);
  }

  /** As {@link #janitor()}, with other options. */
  public RemoteJanitorBuilder janitor(UnaryOperator<ClientOptions> change) {
    return client(change).newRemoteJanitor("payments").workerId("janitor-1");
  }

  /** A worker on the clock of the test. */
  public WorkerBuilder worker() {
    return worker(options -> options);
  }

  /** As {@link #worker()}, with other options. */
  public WorkerBuilder worker(UnaryOperator<ClientOptions> change) {
    return client(change).newWorker().clock(new TimingClock(timing));
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }
}
