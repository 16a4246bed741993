package dev.hapax.grpc;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import dev.hapax.grpc.cell.CellRouter;
import dev.hapax.grpc.cell.CellServices;
import dev.hapax.grpc.cell.Cells;
import dev.hapax.grpc.security.AccessInterceptor;
import dev.hapax.grpc.security.AuditLog;
import dev.hapax.grpc.security.CallAuthentication;
import dev.hapax.grpc.security.IntentAudit;
import dev.hapax.grpc.server.GrpcServerConfig;
import dev.hapax.grpc.server.HapaxServer;
import io.grpc.BindableService;
import io.grpc.ServerInterceptor;
import java.time.InstantSource;
import java.util.Optional;
import java.util.stream.Collectors;

/** Guice module of the gRPC server, which serves the first cell, and routes calls to others. */
public final class GrpcModule extends AbstractModule {
  private final GrpcServerConfig settings;
  private final Optional<Cells> cells;
  private final Optional<ServerInterceptor> outermost;

  /**
   * Makes the module.
   *
   * @param cells empty = there is one cell, and no call is routed
   * @param outermost intercepts every call
   */
  public GrpcModule(
      GrpcServerConfig settings, Optional<Cells> cells, Optional<ServerInterceptor> outermost) {
    this.settings = settings;
    this.cells = cells;
    this.outermost = outermost;
  }

  @Provides
  @Singleton
  AuditLog auditLog(InstantSource clock) {
    return new AuditLog(clock);
  }

  @Provides
  @Singleton
  IntentAudit intentAudit(AuditLog audit) {
    return new IntentAudit(audit);
  }

  @Provides
  @Singleton
  HapaxServer server(
      CellServices first, Optional<CallAuthentication> authentication, AuditLog audit) {
    AccessInterceptor access = authentication.isPresent() ? authentication.get() : audit;
    var services =
        cells.map(several -> new CellRouter(several).services(first)).orElseGet(first::guarded);
    return new HapaxServer(
        settings,
        services.stream().<BindableService>map(each -> () -> each).collect(Collectors.toSet()),
        Optional.of(access),
        outermost);
  }
}
