package dev.hapax.grpc;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.ProvidesIntoSet;
import dev.hapax.application.operation.Operations;
import dev.hapax.domain.operation.Identities;
import dev.hapax.grpc.operation.OperationGrpc;
import dev.hapax.grpc.server.HapaxServer;
import dev.hapax.grpc.server.ServerSettings;
import io.grpc.BindableService;
import java.util.Set;

/** The API, served. Every service is one of a set. */
public final class GrpcModule extends AbstractModule {
  private final ServerSettings settings;

  public GrpcModule(ServerSettings settings) {
    this.settings = settings;
  }

  @ProvidesIntoSet
  @Singleton
  BindableService operations(Operations operations, Identities identities) {
    return new OperationGrpc(operations, identities);
  }

  @Provides
  @Singleton
  HapaxServer server(Set<BindableService> services) {
    return new HapaxServer(settings, services);
  }
}
