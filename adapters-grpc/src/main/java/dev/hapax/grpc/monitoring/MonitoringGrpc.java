package dev.hapax.grpc.monitoring;

import dev.hapax.application.monitoring.KnownProblems;
import dev.hapax.application.monitoring.Monitoring;
import dev.hapax.application.monitoring.QueueState;
import dev.hapax.application.monitoring.StuckWorkspaces;
import dev.hapax.application.monitoring.WorkerState;
import dev.hapax.domain.Page;
import dev.hapax.domain.cell.CellName;
import dev.hapax.domain.cell.WorkspaceMove;
import dev.hapax.domain.security.AllowedNames;
import dev.hapax.domain.security.Permission;
import dev.hapax.grpc.call.CallAccess;
import dev.hapax.grpc.call.CellRoute;
import dev.hapax.grpc.call.FieldReader;
import dev.hapax.grpc.call.LengthPrefixedNames;
import dev.hapax.grpc.call.PageTokens;
import dev.hapax.grpc.call.Unary;
import dev.hapax.grpc.run.RunPages;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.CountRunsResponse;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.ListProblemsRequest;
import dev.hapax.v1.ListProblemsResponse;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.ListQueuesResponse;
import dev.hapax.v1.ListServersRequest;
import dev.hapax.v1.ListServersResponse;
import dev.hapax.v1.ListWorkersRequest;
import dev.hapax.v1.ListWorkersResponse;
import dev.hapax.v1.ListWorkspacesRequest;
import dev.hapax.v1.ListWorkspacesResponse;
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** MonitoringService: decodes, calls, encodes. */
public final class MonitoringGrpc implements MonitoringServiceGrpc.AsyncService, BindableService {
  private final Monitoring monitoring;
  private final StuckWorkspaces stuck;
  private final InstantSource clock;
  private final ServerFacts facts;
  private final CellRoute cells;

  public MonitoringGrpc(
      Monitoring monitoring,
      StuckWorkspaces stuck,
      InstantSource clock,
      ServerFacts facts,
      CellRoute cells) {
    this.monitoring = monitoring;
    this.stuck = stuck;
    this.clock = clock;
    this.facts = facts;
    this.cells = cells;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return MonitoringServiceGrpc.bindService(this);
  }

  @Override
  public void getServerInfo(
      GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> caller) {
    Unary.respond(
        caller,
        monitoring::database,
        database ->
            GetServerInfoResponse.newBuilder()
                .setServer(MonitoringEncoding.server(facts, database))
                .build());
  }

  @Override
  public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> caller) {
    Unary.respond(
        caller,
        () ->
            monitoring.queues(
                FieldReader.workspace(request.getWorkspace()),
                Page.size(request.getPageSize()),
                PageTokens.position(request.getPageToken(), LengthPrefixedNames::name)),
        this::queues);
  }

  private ListQueuesResponse queues(Page<QueueState, String> page) {
    var response = ListQueuesResponse.newBuilder();
    var now = clock.instant();
    var isAll =
        PageTokens.fill(
            page.items(),
            queue -> MonitoringEncoding.queue(queue, now),
            (queue, message) ->
                response.addQueues(message).setNextPageToken(PageTokens.token(queue.queue())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  @Override
  public void listWorkers(ListWorkersRequest request, StreamObserver<ListWorkersResponse> caller) {
    Unary.respond(
        caller,
        () ->
            monitoring.workers(
                FieldReader.workspace(request.getWorkspace()),
                Page.size(request.getPageSize()),
                PageTokens.position(request.getPageToken(), LengthPrefixedNames::name)),
        MonitoringGrpc::workers);
  }

  private static ListWorkersResponse workers(Page<WorkerState, String> page) {
    var response = ListWorkersResponse.newBuilder();
    var isAll =
        PageTokens.fill(
            page.items(),
            MonitoringEncoding::worker,
            (worker, message) ->
                response.addWorkers(message).setNextPageToken(PageTokens.token(worker.worker())));
    return isAll && page.next().isEmpty()
        ? response.clearNextPageToken().build()
        : response.build();
  }

  @Override
  public void countRuns(CountRunsRequest request, StreamObserver<CountRunsResponse> caller) {
    Unary.respond(
        caller,
        () ->
            monitoring.runs(
                FieldReader.workspace(request.getWorkspace()),
                RunPages.statuses(request.getStatusesList()),
                Set.copyOf(request.getDefinitionsList())),
        counts ->
            CountRunsResponse.newBuilder()
                .addAllCounts(counts.stream().map(MonitoringEncoding::count).toList())
                .build());
  }

  @Override
  public void listProblems(
      ListProblemsRequest request, StreamObserver<ListProblemsResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var workspace = FieldReader.workspace(request.getWorkspace());
          return monitoring
              .problems(workspace)
              .thenCombine(moves(), (found, moves) -> problems(workspace.name(), found, moves));
        },
        response -> response);
  }

  private ListProblemsResponse problems(
      String workspace, KnownProblems found, Map<String, CellName> moves) {
    var response =
        ListProblemsResponse.newBuilder()
            .setKnown(found.isKnown())
            .addAllProblems(found.problems().stream().map(ProblemEncoding::problem).toList());
    cells.cell(workspace).ifPresent(response::setCell);
    Optional.ofNullable(moves.get(workspace))
        .ifPresent(target -> response.setMovingTo(target.text()));
    return response.build();
  }

  /** The cells to which workspaces move; none while the first cell does not answer. */
  private CompletableFuture<Map<String, CellName>> moves() {
    return cells
        .moves()
        .thenApply(
            moves ->
                moves.stream()
                    .collect(
                        Collectors.toMap(move -> move.workspace().name(), WorkspaceMove::target)))
        .exceptionally(_ -> Map.of());
  }

  @Override
  public void listWorkspaces(
      ListWorkspacesRequest request, StreamObserver<ListWorkspacesResponse> caller) {
    Unary.respond(
        caller,
        () -> {
          var size = Page.size(request.getPageSize());
          var after =
              PageTokens.position(request.getPageToken(), LengthPrefixedNames::name).orElse("");
          var names = CallAccess.current().caller().principal().workspaces(Permission.OBSERVE);
          return names.isEmpty()
              ? CompletableFuture.completedFuture(ListWorkspacesResponse.getDefaultInstance())
              : workspaces(names.get(), after, size);
        },
        response -> response);
  }

  private CompletableFuture<ListWorkspacesResponse> workspaces(
      AllowedNames names, String after, int size) {
    var reads = new ArrayList<CompletableFuture<CellWorkspaces>>();
    cells
        .usable(this)
        .forEach(
            (cell, service) ->
                reads.add(
                    service
                        .stuck
                        .list(names, after, size + 1)
                        .thenApply(found -> new CellWorkspaces(cell, true, found))
                        .exceptionally(
                            e -> {
                              if (service == cells.first(this)) {
                                throw new CompletionException(e);
                              }
                              return new CellWorkspaces(cell, false, List.of());
                            })));
    return CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
        .thenCombine(
            moves(),
            (_, moves) ->
                new MergedWorkspaces(
                        reads.stream().map(CompletableFuture::join).toList(), cells::cell, moves)
                    .fill(size));
  }

  @Override
  public void listServers(ListServersRequest request, StreamObserver<ListServersResponse> caller) {
    Unary.respond(
        caller,
        monitoring::servers,
        servers -> MonitoringEncoding.servers(servers, clock.instant()));
  }
}
