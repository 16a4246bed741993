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

/** A deployment whose callers have API keys; they call it by gRPC and by HTTP. */
final class SecuredDeployment implements AutoCloseable {
  private static final String METRICS = "metrics on ";

  private final TestDatabase database = TestDatabase.create();
  private final HttpClient client = HttpClient.newHttpClient();
  private final ApiKey admin;
  private final ApiKey viewer;
  private final Deployment deployment;
  private final ManagedChannel channel;
  private final String metrics;

  SecuredDeployment() {
    Migrations.migrate(database.dataSource());
    var keys = new ApiKeys(database);
    admin = keys.create("admin", "role=admin workspace=*");
    viewer = keys.create("viewer", "role=viewer workspace=home");
    deployment =
        Deployment.on(
            database,
            "--http-listen=127.0.0.1:0",
            "--metrics-listen=127.0.0.1:0",
            "--authentication");
    channel = ManagedChannelBuilder.forTarget(target()).usePlaintext().build();
    metrics = server().awaitError(each -> each.contains(METRICS)).replaceFirst(".*" + METRICS, "");
  }

  /**
   * The one for tests that leave it as they found it, each in workspaces and with keys of its own.
   */
  static SecuredDeployment shared() {
    return Shared.INSTANCE;
  }

  Deployment deployment() {
    return deployment;
  }

  /** Where gRPC listens. */
  String target() {
    return deployment.target();
  }

  ApiKey admin() {
    return admin;
  }

  /** An administrator by HTTP. */
  HttpCaller http() {
    return HttpCaller.to(server(), client).as(admin);
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
    return deployment.server();
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
    client.close();
    deployment.close();
  }

  private static final class Shared {
    static final SecuredDeployment INSTANCE = untilTheEnd();

    private static SecuredDeployment untilTheEnd() {
      var secured = new SecuredDeployment();
      secured.deployment().closeAtExit();
      return secured;
    }
  }
}
