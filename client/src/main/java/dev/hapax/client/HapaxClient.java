package dev.hapax.client;

import dev.hapax.client.claim.Claims;
import dev.hapax.client.claim.Entities;
import dev.hapax.client.claim.Janitors;
import dev.hapax.client.claim.Lifecycles;
import dev.hapax.client.claim.RemoteJanitorBuilder;
import dev.hapax.client.hook.Hooks;
import dev.hapax.client.intent.Intents;
import dev.hapax.client.internal.ClientConnection;
import dev.hapax.client.internal.ProtobufRuntime;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.internal.UnaryCalls;
import dev.hapax.client.operation.Operations;
import dev.hapax.client.run.Definitions;
import dev.hapax.client.run.Runs;
import dev.hapax.client.worker.WorkerBuilder;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import java.util.function.UnaryOperator;

/**
 * The entry point: everything that one workspace of a Hapax server offers, over one gRPC channel.
 * Thread-safe; one per process and workspace is enough. The channel stays the caller's: the client
 * owns no channel and no thread, and needs no close. Workers, remote janitors and outbox relays
 * that it starts do.
 *
 * <pre>{@code
 * ManagedChannel channel =
 *     HapaxChannel.to("hapax.example.com:7420").withApiKeyFile(Path.of("hapax.key")).open();
 * HapaxClient hapax = HapaxClient.on(channel);
 * Run run = hapax.runs().start(RunRequest.of("order").withKey(orderId)).getRun();
 * }</pre>
 *
 * <p>The client sends every call again after a lost response, with growing pauses of 100 ms to 2 s.
 * Calls carry an idempotency key where they need one. Methods that block throw {@link
 * HapaxException.Unavailable} if Hapax is unreachable for too long or the thread is interrupted,
 * and {@link HapaxException.Refused} if Hapax rejects the request. They throw {@link
 * HapaxException.Unauthenticated} or {@link HapaxException.PermissionDenied} if it rejects the
 * caller. See {@link HapaxChannel} for the channel.
 */
public final class HapaxClient {

  private final ClientConnection connection;
  private final Operations operations;
  private final Runs runs;
  private final Hooks hooks;
  private final Intents intents;
  private final Definitions definitions;
  private final Claims claims;
  private final Entities entities;
  private final Lifecycles lifecycles;
  private final Janitors janitors;
  private final Monitoring monitoring;

  HapaxClient(ClientConnection connection) {
    this.connection = connection;
    this.operations = new Operations(connection);
    this.runs = new Runs(connection);
    this.hooks = new Hooks(connection);
    this.intents = new Intents(connection);
    this.definitions = new Definitions(connection);
    this.claims = new Claims(connection);
    this.entities = new Entities(connection);
    this.lifecycles = new Lifecycles(connection);
    this.janitors = new Janitors(connection);
    this.monitoring = new Monitoring(connection);
  }

  /** Returns a client with default settings. Makes no call yet. */
  public static HapaxClient on(Channel channel) {
    return on(channel, ClientOptions.DEFAULT);
  }

  /**
   * Returns a client with these settings. Makes no call yet.
   *
   * @throws IllegalStateException if the protobuf on the class path is too old
   */
  public static HapaxClient on(Channel channel, ClientOptions options) {
    ProtobufRuntime.check();
    return new HapaxClient(new ClientConnection(channel, options, SystemTiming.INSTANCE));
  }

  /**
   * Returns a client on the same channel with changed settings, such as another workspace. Makes no
   * call yet.
   *
   * <pre>{@code
   * HapaxClient billing = hapax.with(options -> options.withWorkspace("billing"));
   * }</pre>
   */
  public HapaxClient with(UnaryOperator<ClientOptions> change) {
    return new HapaxClient(
        new ClientConnection(
            connection.channel(), change.apply(connection.options()), connection.timing()));
  }

  /**
   * Makes a call for which this client has no method, with the same retries and exceptions. The
   * request is sent as it is: it names its workspace and has its own keys. The methods of the
   * generated stubs need {@code io.grpc:grpc-protobuf}, in the version of {@code grpc-api}.
   *
   * <pre>{@code
   * ListRunsResponse runs =
   *     hapax.call(RunServiceGrpc.getListRunsMethod(), ListRunsRequest.getDefaultInstance());
   * }</pre>
   *
   * @param method a unary method
   */
  public <Q, R> R call(MethodDescriptor<Q, R> method, Q request) {
    return UnaryCalls.await(connection.unaryCalls().send(method, request));
  }

  /** The settings of this client. Its observer can fail no call. */
  public ClientOptions options() {
    return connection.options();
  }

  /** Runs work once per request id. */
  public Operations operations() {
    return operations;
  }

  /** Starts, awaits and controls durable runs. */
  public Runs runs() {
    return runs;
  }

  /** Sends signals to runs by their tokens. */
  public Hooks hooks() {
    return hooks;
  }

  /** Reads the outcomes of intents, which SQL functions post. */
  public Intents intents() {
    return intents;
  }

  /** Registers the definitions of runs. */
  public Definitions definitions() {
    return definitions;
  }

  /** Runs actions on entities, one holder at a time. */
  public Claims claims() {
    return claims;
  }

  /** Creates, reads and releases entities. */
  public Entities entities() {
    return entities;
  }

  /** Applies the lifecycles that entities follow. */
  public Lifecycles lifecycles() {
    return lifecycles;
  }

  /** Declares the janitors that recover entities of expired holders. */
  public Janitors janitors() {
    return janitors;
  }

  /** Reads the server's version, features and limits. */
  public Monitoring monitoring() {
    return monitoring;
  }

  /** Configures a worker that executes the steps of runs. */
  public WorkerBuilder newWorker() {
    return new WorkerBuilder(connection);
  }

  /**
   * Configures a janitor that recovers entities inside this process.
   *
   * @param module the module, declared as remote with {@link RemoteJanitorBuilder#declare} or
   *     {@link Janitors#declare}
   */
  public RemoteJanitorBuilder newRemoteJanitor(String module) {
    return new RemoteJanitorBuilder(connection, module);
  }
}
