package dev.hapax.http;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of {@link FakeRuns}, called by HTTP. */
final class FakeRunServer implements AutoCloseable {
  static final String GET_RUN = "/hapax.v1.RunService/GetRun";
  static final String AWAIT_RUN = "/hapax.v1.RunService/AwaitRun";
  static final String WATCH_RUN = "/hapax.v1.RunService/WatchRun";

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final List<Metadata> received = new CopyOnWriteArrayList<>();
  private final List<InetSocketAddress> callers = new CopyOnWriteArrayList<>();
  private final AtomicInteger cancelled = new AtomicInteger();
  private final HttpClient client = HttpClient.newHttpClient();
  private final FakeRuns runs = new FakeRuns();
  private final ManagedChannel channel;
  private final Server grpc;
  private final HttpServer http;

  FakeRunServer() throws IOException {
    this(HttpTimeouts.DEFAULT);
  }

  FakeRunServer(HttpTimeouts times, String... origins) throws IOException {
    this(times, HostNames.ANY, origins);
  }

  FakeRunServer(HttpTimeouts times, HostNames hosts, String... origins) throws IOException {
    var name = InProcessServerBuilder.generateName();
    channel =
        InProcessChannelBuilder.forName(name).directExecutor().intercept(new Connecting()).build();
    grpc =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(ServerInterceptors.intercept(runs, new Recorder()))
            .build()
            .start();
    http =
        ConnectServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.empty(),
            hosts,
            Set.of(origins),
            List.of(runs.bindService().getServiceDescriptor()),
            new ConnectCallers(
                (caller, _) -> {
                  callers.add(caller);
                  return channel;
                },
                caller -> caller.getAddress().getHostAddress()),
            times);
  }

  /** Records the calls, refuses those with wrong credentials, and never verifies some. */
  private final class Recorder implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      received.add(headers);
      if ("wrong".equals(headers.get(AUTHORIZATION))) {
        call.close(Status.UNAUTHENTICATED.withDescription("no such key"), new Metadata());
        return new ServerCall.Listener<>() {};
      }
      if ("unverified".equals(headers.get(AUTHORIZATION))) {
        return new ServerCall.Listener<>() {};
      }
      return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
        @Override
        public void onCancel() {
          cancelled.incrementAndGet();
          super.onCancel();
        }
      };
    }
  }

  /** As while a channel connects: a call is not ready yet when {@code onReady} runs. */
  private static final class Connecting implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public boolean isReady() {
          return false;
        }
      };
    }
  }

  HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(
            URI.create(String.format(Locale.ROOT, "http://127.0.0.1:%d%s", http.getPort(), path)))
        .header("Content-Type", "application/json");
  }

  HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  HttpClient client() {
    return client;
  }

  HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    var request = to(path).POST(BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  /** A connection on which these bytes are sent. */
  Socket open(String request) throws IOException {
    return open("127.0.0.1", request);
  }

  /** A connection from this address of the machine. */
  Socket open(String from, String request) throws IOException {
    return open(from, http.getPort(), request);
  }

  static Socket open(String from, int port, String request) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(from), 0);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    return socket;
  }

  /** The text of a request with JSON. */
  static String request(String path, String body) {
    return String.format(
        Locale.ROOT,
        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
        path,
        body.length(),
        body);
  }

  /** The headers of the calls. */
  List<Metadata> received() {
    return received;
  }

  static String authorization(Metadata headers) {
    return String.valueOf(headers.get(AUTHORIZATION));
  }

  /** From where the calls came. */
  List<InetSocketAddress> callers() {
    return callers;
  }

  /** How many calls ended without an answer. */
  int cancelled() {
    return cancelled.get();
  }

  HttpServer http() {
    return http;
  }

  FakeRuns runs() {
    return runs;
  }

  void stopGrpc() throws InterruptedException {
    grpc.shutdownNow().awaitTermination();
  }

  @Override
  public void close() {
    http.close();
    channel.shutdownNow();
    grpc.shutdownNow();
    client.close();
  }
}
