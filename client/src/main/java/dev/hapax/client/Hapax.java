package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.internal.GuardedObserver;
import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtobufRuntime;
import dev.hapax.client.internal.Ranges;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.ServerInfo;
import io.grpc.Channel;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The entry point: everything that one workspace of Hapax offers, over one connection to each
 * server. Thread-safe; one per process is enough. Close its workers and janitors before it.
 *
 * <pre>{@code
 * try (Hapax hapax = Hapax.connect()) {
 *   Receipt receipt =
 *       hapax.once(Operation.of("POST /payments", key).input(payment), Receipt.class,
 *           claim -> bank.charge(payment));
 * }
 * }</pre>
 *
 * <p>Each call blocks. It is repeated after a lost answer, with growing pauses of 100 ms to 2 s,
 * since it carries its own key. It throws a {@link HapaxException}: {@link
 * HapaxException.Unavailable} also if the thread is interrupted, which keeps its flag. Blocking
 * code runs well on virtual threads; {@link #async} wraps it for others.
 */
public final class Hapax implements AutoCloseable {

  private final Connection connection;
  private final Transport transport;

  /** What {@link #close} ends; null = the channel is the caller's. */
  private record Transport(@Nullable ServerChannels channels, AutoCloseable timing) {}

  private Hapax(Connection connection, Transport transport) {
    this.connection = connection;
    this.transport = transport;
  }

  /**
   * Connects as these variables say, which are those of the {@code hapax} command. Does not wait
   * for the server.
   *
   * <ul>
   *   <li>{@code HAPAX_SERVER}: {@code HOST:PORT}, or {@code https://HOST:PORT} for TLS. Several
   *       servers: {@code HOST:PORT,HOST:PORT}. Default 127.0.0.1:7420
   *   <li>{@code HAPAX_TLS}: {@code true} for TLS
   *   <li>{@code HAPAX_TLS_CA}: the file with the certificate authorities of the server, and TLS
   *   <li>{@code HAPAX_API_KEY_FILE}, or {@code HAPAX_API_KEY} with the key itself
   *   <li>{@code HAPAX_JWT_FILE}: the file with a JSON Web Token, instead of a key
   * </ul>
   *
   * @throws IllegalArgumentException if the variables contradict each other
   * @throws IllegalStateException if the protobuf or the transport on the class path does not fit
   */
  public static Hapax connect() {
    return builder().connect();
  }

  /** Returns settings that begin with the variables of {@link #connect}. */
  public static Builder builder() {
    return builder(System.getenv());
  }

  /** As {@link #builder()}, with these variables instead of those of the process. */
  public static Builder builder(Map<String, String> variables) {
    return new Builder(variables);
  }

  /**
   * Does the work unless an earlier call with the same request id has, and returns what it returned
   * first.
   *
   * @param operation the name of the handler, such as {@code POST /payments}
   * @param requestId the idempotency key of the caller; empty = the work runs untracked
   * @throws E what the work throws; it frees the request id, unless it is a {@link FinalFailure} or
   *     an {@link UnknownEffect}
   * @throws HapaxException of the kinds IN_PROGRESS, KEY_REUSED, INDETERMINATE, REJECTED,
   *     NOT_RETAINED, CLAIM_LOST and UNRECORDED; UNAVAILABLE and REFUSED mean that the work did not
   *     begin
   */
  public <T extends @Nullable Object, E extends Exception> T once(
      String operation, String requestId, Class<T> type, Work<? extends T, E> work) throws E {
    return once(Operation.of(operation, requestId), Codec.json(type), work);
  }

  /** As {@link #once(String, String, Class, Work)}, without a result. */
  public <E extends Exception> void once(String operation, String requestId, Effect<E> effect)
      throws E {
    var unused =
        this.<@Nullable Void, E>once(
            Operation.of(operation, requestId),
            Codec.none(),
            claim -> {
              effect.run(claim);
              return null;
            });
  }

  /** As {@link #once(String, String, Class, Work)}, with options. */
  public <T extends @Nullable Object, E extends Exception> T once(
      Operation operation, Class<T> type, Work<? extends T, E> work) throws E {
    return once(operation, Codec.json(type), work);
  }

  /** As {@link #once(String, String, Class, Work)}, with options and a codec. */
  public <T extends @Nullable Object, E extends Exception> T once(
      Operation operation, Codec<T> codec, Work<? extends T, E> work) throws E {
    return tryOnce(operation, codec, work).orThrow();
  }

  /** As {@link #once(String, String, Class, Work)}, and returns each outcome as a record. */
  public <T extends @Nullable Object, E extends Exception> OnceOutcome<T> tryOnce(
      Operation operation, Class<T> type, Work<? extends T, E> work) throws E {
    return tryOnce(operation, Codec.json(type), work);
  }

  /** As {@link #tryOnce(Operation, Class, Work)}, with a codec. */
  public <T extends @Nullable Object, E extends Exception> OnceOutcome<T> tryOnce(
      Operation operation, Codec<T> codec, Work<? extends T, E> work) throws E {
    return new Once<>(connection, operation, codec).run(work);
  }

  /** Entities, and the actions on them. */
  public Entities entities() {
    return new Entities(connection);
  }

  /** Lifecycles, and the contracts of janitors. */
  public Lifecycles lifecycles() {
    return new Lifecycles(connection);
  }

  /**
   * Returns the settings of a janitor.
   *
   * @param module of the lifecycles whose entities it recovers
   */
  public Janitor.Builder janitor(String module) {
    return new Janitor.Builder(connection, module);
  }

  /** Returns the settings of a worker, which does the steps of runs. */
  public Worker.Builder worker() {
    return new Worker.Builder(connection);
  }

  /** The workspace; empty = that of the API key, or {@code default}. */
  public String workspace() {
    return connection.workspace();
  }

  /** Starts, awaits and controls runs. */
  public Runs runs() {
    return new Runs(connection);
  }

  /** Reaches runs by their tokens. */
  public Hooks hooks() {
    return new Hooks(connection);
  }

  /** Changes and shows the limits of steps and definitions. */
  public Limits limits() {
    return new Limits(connection);
  }

  /** Registers and reads definitions of runs. */
  public Definitions definitions() {
    return new Definitions(connection);
  }

  /** Reads the outcomes of intents, which SQL functions post. */
  public Intents intents() {
    return new Intents(connection);
  }

  /** The same calls for code that must not block. */
  public HapaxAsync async() {
    return new HapaxAsync(this);
  }

  /** What {@link Builder#observer} has set. */
  public Observer observer() {
    return connection.observer();
  }

  /** Returns the same client for another workspace. It shares the connection, also its close. */
  public Hapax workspace(String workspace) {
    return new Hapax(connection.workspace(KeyText.check("workspace", workspace)), transport);
  }

  /** Returns the same client, acting for a person. It shares the connection, also its close. */
  public Hapax actor(String actor) {
    return new Hapax(connection.actor(KeyText.check("actor", actor)), transport);
  }

  /** Returns the same client with another {@link Builder#callTimeout}. It shares the connection. */
  public Hapax callTimeout(Duration callTimeout) {
    return new Hapax(
        connection.callTimeout(Ranges.positive("callTimeout", callTimeout)), transport);
  }

  /** The version, features and limits of the server. */
  public ServerInfo serverInfo() {
    return connection
        .call(GetServerInfoRequest.getDefaultInstance(), GetServerInfoResponse.getDefaultInstance())
        .getServer();
  }

  /**
   * Makes a call for which this client has no method, with the same retries and exceptions. The
   * request is sent as it is: it names its workspace and has its own keys.
   *
   * <pre>{@code
   * ListRunsResponse runs =
   *     hapax.call(ListRunsRequest.getDefaultInstance(), ListRunsResponse.getDefaultInstance());
   * }</pre>
   *
   * @param request of a unary method
   * @param type the default instance of its response
   */
  public <Q extends Message, R extends Message> R call(Q request, R type) {
    return connection.call(request, type);
  }

  /** Closes the connection. Close workers and janitors before. */
  @Override
  public void close() {
    connection.calls().close();
    ServerChannels channels = transport.channels();
    if (channels != null) {
      channels.close();
    }
    try {
      transport.timing().close();
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  Connection connection() {
    return connection;
  }

  /** The settings of a client. Those of the connection begin with the variables. */
  public static final class Builder {
    private ServerAddress address;
    private @Nullable Channel channel;
    private UnaryOperator<ManagedChannelBuilder<?>> channelChange = UnaryOperator.identity();
    private String workspace = "";
    private String actor = "";
    private Json json = Json.detect();
    private Observer observer = Observer.NONE;
    private @Nullable Executor executor;
    private @Nullable Timing timing;
    private boolean streams = true;
    private Duration tryTimeout = Duration.ofSeconds(5);
    private Duration callTimeout = Duration.ofSeconds(10);
    private Duration recordTimeout = Duration.ofSeconds(60);

    private Builder(Map<String, String> variables) {
      address = ServerAddress.ofVariables(variables);
    }

    /**
     * {@code HOST:PORT}, {@code https://HOST:PORT} for TLS, or another target of gRPC. Calls use
     * all addresses of the name in turn. Servers without a common name: {@code
     * HOST:PORT,HOST:PORT}.
     *
     * @throws IllegalArgumentException if it has {@code http://}, or if an address of a list is not
     *     HOST:PORT
     */
    public Builder server(String server) {
      address = address.server(server);
      return this;
    }

    /** Sends this key with each call. It is not sent without TLS to another machine. */
    public Builder apiKey(String apiKey) {
      address = address.apiKey(apiKey);
      return this;
    }

    /** Sends the key in this file with each call. A changed file is read again within a second. */
    public Builder apiKeyFile(Path file) {
      address = address.apiKeyFile(file);
      return this;
    }

    /** Sends the JSON Web Token in this file; a changed file is read again within a second. */
    public Builder jwtFile(Path file) {
      address = address.jwtFile(file);
      return this;
    }

    /** Uses TLS, and trusts these authorities only; the file has certificates in PEM. */
    public Builder caFile(Path pem) {
      address = address.caFile(pem);
      return this;
    }

    /**
     * Uses TLS, and presents this certificate.
     *
     * @param certificate PEM, the certificate of the client first
     * @param privateKey PEM, PKCS#8, without a password
     */
    public Builder clientCertificate(Path certificate, Path privateKey) {
      address = address.clientCertificate(certificate, privateKey);
      return this;
    }

    /** Uses TLS, with the authorities of the JVM unless {@link #caFile} names others. */
    public Builder tls() {
      address = address.tls();
      return this;
    }

    /**
     * Uses TLS with these managers instead of files, such as those of an SSL bundle of Spring.
     *
     * @param keys present a certificate; empty = none
     * @param trust decide about the server; empty = those of the JVM
     */
    public Builder tls(KeyManager[] keys, TrustManager[] trust) {
      address = address.managers(keys, trust);
      return this;
    }

    /** Uses no TLS: for a server on this machine. */
    public Builder plaintext() {
      address = address.plaintext();
      return this;
    }

    /** Takes this channel instead of the settings of the connection. It stays the caller's. */
    public Builder channel(Channel channel) {
      this.channel = Objects.requireNonNull(channel, "channel");
      return this;
    }

    /**
     * Changes the channel of these settings before it is built, such as its proxy. There is one
     * channel for each address of {@link #server}.
     */
    public Builder channel(UnaryOperator<ManagedChannelBuilder<?>> change) {
      channelChange = Objects.requireNonNull(change, "change");
      return this;
    }

    /** Whether the connection uses TLS. */
    public boolean isTls() {
      return address.isTls();
    }

    /** The workspace. Default: that of the API key, or {@code default}. */
    public Builder workspace(String workspace) {
      this.workspace = KeyText.check("workspace", workspace);
      return this;
    }

    /** On whose behalf the client acts, for histories. Default: the principal. */
    public Builder actor(String actor) {
      this.actor = KeyText.check("actor", actor);
      return this;
    }

    /** Writes and reads JSON. Default {@link Json#detect}. */
    public Builder json(Json json) {
      this.json = Objects.requireNonNull(json, "json");
      return this;
    }

    /** Receives what happens, for metrics. What it throws fails no call. Default none. */
    public Builder observer(Observer observer) {
      this.observer = GuardedObserver.of(Objects.requireNonNull(observer, "observer"));
      return this;
    }

    /**
     * Runs the handlers of workers and janitors, and the calls of {@link HapaxAsync}. Default:
     * virtual threads from Java 21 on, before it a pool that grows as needed.
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /** The timeout of one try, besides the wait of its request. Default 5 s. */
    public Builder tryTimeout(Duration tryTimeout) {
      this.tryTimeout = Ranges.positive("tryTimeout", tryTimeout);
      return this;
    }

    /**
     * How long to repeat a call before work has begun; its last try may end later. Default 10 s.
     */
    public Builder callTimeout(Duration callTimeout) {
      this.callTimeout = Ranges.positive("callTimeout", callTimeout);
      return this;
    }

    /** How long to repeat the record of work that is done. Default 60 s. */
    public Builder recordTimeout(Duration recordTimeout) {
      this.recordTimeout = Ranges.positive("recordTimeout", recordTimeout);
      return this;
    }

    /**
     * Whether workers get tasks on a stream, and calls that begin or end work share one. Streams
     * cost less; a network that does not let them through gets calls and polls. Default true.
     */
    public Builder streams(boolean streams) {
      this.streams = streams;
      return this;
    }

    Builder timing(Timing timing) {
      this.timing = timing;
      return this;
    }

    /**
     * Returns a client. Does not wait for the server.
     *
     * @throws IllegalArgumentException if the settings contradict each other
     */
    public Hapax connect() {
      ProtobufRuntime.check();
      ServerChannels own = channel == null ? address.channels(channelChange) : null;
      SystemTiming clock = new SystemTiming();
      Timing chosen = timing == null ? clock : timing;
      Connection connection =
          new Connection(
              calls(own == null ? Objects.requireNonNull(channel) : own, chosen),
              new Renewals(chosen),
              workspace,
              actor,
              json,
              observer,
              executor == null ? HandlerThreads.unbounded() : executor,
              callTimeout,
              recordTimeout);
      return new Hapax(connection, new Transport(own, clock));
    }

    private Calls calls(Channel over, Timing chosen) {
      Calls.Router router = streams ? new Streams(over, chosen, tryTimeout) : Calls.Router.UNARY;
      return new Calls(over, chosen, observer, tryTimeout, router);
    }
  }
}
