package dev.hapax.grpc.monitoring;

import dev.hapax.application.monitoring.Monitoring;
import dev.hapax.application.monitoring.QueueState;
import dev.hapax.application.monitoring.WorkerState;
import dev.hapax.domain.Page;
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
import dev.hapax.v1.MonitoringServiceGrpc;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.Set;

/** MonitoringService: decodes, calls, encodes. */
public final class MonitoringGrpc implements MonitoringServiceGrpc.AsyncService, BindableService {
  private final Monitoring monitoring;
  private final InstantSource clock;
  private final ServerFacts facts;

  public MonitoringGrpc(Monitoring monitoring, InstantSource clock, ServerFacts facts) {
    this.monitoring = monitoring;
    this.clock = clock;
    this.facts = facts;
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
        () -> monitoring.problems(FieldReader.workspace(request.getWorkspace())),
        found ->
            ListProblemsResponse.newBuilder()
                .setKnown(found.isKnown())
                .addAllProblems(found.problems().stream().map(ProblemEncoding::problem).toList())
                .build());
  }

  @Override
  public void listServers(ListServersRequest request, StreamObserver<ListServersResponse> caller) {
    Unary.respond(
        caller,
        monitoring::servers,
        servers ->
            ListServersResponse.newBuilder()
                .addAllServers(servers.stream().map(MonitoringEncoding::server).toList())
                .build());
  }
}
