package dev.hapax.grpc.lifecycle;

import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.domain.Attribution;
import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleSet;
import dev.hapax.grpc.call.CallerReader;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.InvalidFieldException;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Unary;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
  public void applyLifecycles(
      ApplyLifecyclesRequest request, StreamObserver<ApplyLifecyclesResponse> caller) {
    Unary.respond(
        caller,
        () -> application(request),
        application -> lifecycles.apply(application.set(), application.by()),
        (application, outcome) ->
            LifecycleEncoding.applied(application.set().workspace(), application.texts(), outcome));
  }

  /** A decoded ApplyLifecycles request. */
  private record Application(LifecycleSet set, List<ParsedLifecycle> texts, Attribution by) {}

  private static Application application(ApplyLifecyclesRequest request) {
    var workspace = FieldReader.workspace(request.getWorkspace());
    if (request.getLifecyclesCount() + request.getJanitorsCount() == 0) {
      throw new InvalidFieldException("lifecycles", "must not be empty if janitors is empty");
    }
    var texts = new LinkedHashMap<String, ParsedLifecycle>();
    for (var i = 0; i < request.getLifecyclesCount(); i++) {
      var field = String.format(Locale.ROOT, "lifecycles[%d]", i);
      texts.put(field, ParsedLifecycle.read(request.getLifecycles(i)));
    }
    var lifecycles = texts.values().stream().flatMap(text -> text.lifecycle().stream()).toList();
    if (lifecycles.size() < texts.size()) {
      throw LifecycleErrors.invalid(texts);
    }
    var contracts = new ArrayList<JanitorContract>();
    for (var i = 0; i < request.getJanitorsCount(); i++) {
      var field = String.format(Locale.ROOT, "janitors[%d]", i);
      contracts.add(ContractFields.read(field, request.getJanitors(i)));
    }
    var set =
        new LifecycleSet(
            workspace,
            FieldReader.read("lifecycles", lifecycles, LifecycleSet::requireLifecycles),
            FieldReader.read("janitors", contracts, LifecycleSet::requireContracts));
    var by = CallerReader.attribution(request.getActor(), request.getReason());
    return new Application(set, List.copyOf(texts.values()), by);
  }

  @Override
  public void validateLifecycle(
      ValidateLifecycleRequest request, StreamObserver<ValidateLifecycleResponse> caller) {
    Unary.respond(
        caller,
        () -> CompletableFuture.completedFuture(ParsedLifecycle.read(request.getJson())),
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
