package dev.hapax.grpc.lifecycle;

import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Unary;
import dev.hapax.v1.ApplyLifecycleRequest;
import dev.hapax.v1.ApplyLifecycleResponse;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.GetLifecycleResponse;
import dev.hapax.v1.LifecycleServiceGrpc;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ListLifecyclesResponse;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** LifecycleService: decodes, calls, encodes. */
public final class LifecycleGrpc implements LifecycleServiceGrpc.AsyncService, BindableService {
  private final Lifecycles lifecycles;

  public LifecycleGrpc(Lifecycles lifecycles) {
    this.lifecycles = lifecycles;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return LifecycleServiceGrpc.bindService(this);
  }

  @Override
  public void applyLifecycle(
      ApplyLifecycleRequest request, StreamObserver<ApplyLifecycleResponse> caller) {
    Unary.respond(
        caller,
        () -> application(request),
        application ->
            lifecycles.apply(application.workspace(), application.lifecycle(), application.by()),
        (application, outcome) ->
            LifecycleEncoding.applied(application.workspace(), application.text(), outcome));
  }

  /** A decoded ApplyLifecycle request. */
  private record Application(
      Workspace workspace, ParsedLifecycle text, Lifecycle lifecycle, Attribution by) {}

  private static Application application(ApplyLifecycleRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    var text = ParsedLifecycle.read(request.getJson());
    var lifecycle = text.lifecycle().orElseThrow(() -> LifecycleErrors.invalid(text));
    var by = CallerReader.attribution(request.getActor(), request.getReason());
    return new Application(workspace, text, lifecycle, by);
  }

  @Override
  public void validateLifecycle(
      ValidateLifecycleRequest request, StreamObserver<ValidateLifecycleResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          return CompletableFuture.completedFuture(ParsedLifecycle.read(request.getJson()));
        },
        LifecycleEncoding::validated);
  }

  @Override
  public void getLifecycle(
      GetLifecycleRequest request, StreamObserver<GetLifecycleResponse> caller) {
    Unary.respond(
        caller,
        () -> new LifecycleId(FieldReader.workspace(request.getWorkspace()), request.getName()),
        lifecycles::find,
        LifecycleEncoding::found);
  }

  @Override
  public void listLifecycles(
      ListLifecyclesRequest request, StreamObserver<ListLifecyclesResponse> caller) {
    Unary.respond(
        caller,
        () -> FieldReader.workspace(request.getWorkspace()),
        workspace ->
            lifecycles.list(
                workspace,
                Page.size(request.getPageSize()),
                PageTokens.position(request.getPageToken(), LengthPrefixedNames::name)),
        LifecycleGrpc::page);
  }

  private static String name(AppliedLifecycle applied) {
    return applied.lifecycle().name();
  }

  private static ListLifecyclesResponse page(
      Workspace workspace, Page<AppliedLifecycle, String> page) {
    List<AppliedLifecycle> items = page.items();
    var response = ListLifecyclesResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            items,
            applied -> LifecycleEncoding.summary(workspace, applied),
            (applied, summary) ->
                response.addLifecycles(summary).setNextPageToken(PageTokens.token(name(applied))));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }
}
