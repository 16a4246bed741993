package dev.hapax.bootstrap.acceptance;

import dev.hapax.bootstrap.process.HapaxProcess;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.testkit.postgres.TestDatabase;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** A server that is called by gRPC and by HTTP, by callers with API keys. */
final class HttpDeployment implements AutoCloseable {
  private static final String METRICS = "metrics on ";

  private final TestDatabase database = TestDatabase.create();
  private final HttpClient client = HttpClient.newHttpClient();
  private final ApiKey admin;
  private final ApiKey viewer;
  private final HapaxProcess server;
  private final ManagedChannel channel;
  private final String metrics;

  HttpDeployment() {
    Migrations.migrate(database.dataSource());
    var keys = new ApiKeys(database);
    admin = keys.create("admin", "role=admin workspace=*");
    viewer = keys.create("viewer", "role=viewer workspace=home");
    server =
        HapaxProcess.start(
            "serve",
            "--listen=127.0.0.1:0",
            "--http-listen=127.0.0.1:0",
            "--metrics-listen=127.0.0.1:0",
            "--authentication",
            "--database-url=" + database.url());
    channel = ManagedChannelBuilder.forTarget(server.awaitReady()).usePlaintext().build();
    metrics = server.awaitError(each -> each.contains(METRICS)).replaceFirst(".*" + METRICS, "");
  }

  /** Where gRPC listens. */
  String target() {
    return server.awaitReady();
  }

  ApiKey admin() {
    return admin;
  }

  /** An administrator by HTTP. */
  HttpCaller http() {
    return HttpCaller.to(server, client).as(admin);
  }

  /** A reader of the workspace {@code home} by HTTP. */
  HttpCaller viewer() {
    return http().as(viewer);
  }

  /** The administrator by gRPC. */
  Channel grpc() {
    return ClientInterceptors.intercept(channel, ApiKeys.credentials(admin));
  }

  HapaxProcess server() {
    return server;
  }

  /** Scrapes the metrics. */
  String metrics() {
    try {
      var request = HttpRequest.newBuilder(URI.create("http://%s/metrics".formatted(metrics)));
      return client.send(request.build(), BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.close();
    client.close();
    database.close();
  }
}
