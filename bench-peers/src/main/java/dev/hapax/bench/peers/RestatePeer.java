package dev.hapax.bench.peers;

import dev.hapax.bench.OperationLoad;
import dev.restate.client.Client;
import dev.restate.common.Request;
import dev.restate.common.Target;
import dev.restate.sdk.Context;
import dev.restate.sdk.HandlerRunner;
import dev.restate.sdk.endpoint.Endpoint;
import dev.restate.sdk.endpoint.definition.HandlerDefinition;
import dev.restate.sdk.endpoint.definition.HandlerType;
import dev.restate.sdk.endpoint.definition.ServiceDefinition;
import dev.restate.sdk.endpoint.definition.ServiceType;
import dev.restate.sdk.http.vertx.RestateHttpServer;
import dev.restate.serde.Serde;
import dev.restate.serde.TypeTag;
import dev.restate.serde.jackson.JacksonSerdeFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * Calls of a Restate service whose handler has one journaled step. The server, which the user
 * started, calls the handler in this process. Callers and handlers have virtual threads.
 */
final class RestatePeer implements Peer.Workloads {
  private static final String SERVICE = "HapaxBench";
  private static final String HANDLER = "place";
  private static final TypeTag<String> TEXT = TypeTag.of(String.class);
  private static final int FIRST_ERROR = 400;

  private final Client client;

  RestatePeer(String ingress, String admin) throws IOException, InterruptedException {
    register(RestateHttpServer.listen(Endpoint.bind(service()), 0), admin);
    this.client = Client.connect(ingress);
  }

  // as the annotation processor of the SDK writes it
  private static ServiceDefinition service() {
    Serde<String> text = JacksonSerdeFactory.DEFAULT.create(TEXT);
    HandlerRunner<String, String> runner =
        HandlerRunner.of(
            (Context context, String _) ->
                context.run("step-1", String.class, () -> OperationLoad.RESULT),
            JacksonSerdeFactory.DEFAULT,
            HandlerRunner.Options.withExecutor(Executors.newVirtualThreadPerTaskExecutor()));
    var handler = HandlerDefinition.of(HANDLER, HandlerType.SHARED, text, text, runner);
    return ServiceDefinition.of(SERVICE, ServiceType.SERVICE, List.of(handler));
  }

  /** Tells the server where this process listens. */
  private static void register(int port, String admin) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create(admin + "/deployments"))
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"uri\":\"http://127.0.0.1:%s\"}".formatted(port)))
            .build();
    try (var http = HttpClient.newHttpClient()) {
      var response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() >= FIRST_ERROR) {
        throw new IOException("Restate did not register the worker: " + response.body());
      }
    }
  }

  @Override
  public Map<String, Workload> all() {
    return Map.of("one-step", Workload.onVirtualThreads(this::run));
  }

  private void run() {
    var key = OperationLoad.newKey();
    var request =
        Request.of(Target.service(SERVICE, HANDLER), TEXT, TEXT, key).idempotencyKey(key).build();
    var result = client.call(request).response();
    if (!result.equals(OperationLoad.RESULT)) {
      throw new IllegalStateException("a handler of Restate returned " + result);
    }
  }

  @Override
  public void close() {}
}
