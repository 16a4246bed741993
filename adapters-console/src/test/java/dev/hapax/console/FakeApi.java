package dev.hapax.console;

import com.google.protobuf.util.Timestamps;
import dev.hapax.v1.CancelRunRequest;
import dev.hapax.v1.CancelRunResponse;
import dev.hapax.v1.CountRunsRequest;
import dev.hapax.v1.CountRunsResponse;
import dev.hapax.v1.EntityServiceGrpc.EntityServiceImplBase;
import dev.hapax.v1.ExplainRunRequest;
import dev.hapax.v1.ExplainRunResponse;
import dev.hapax.v1.GetEntityRequest;
import dev.hapax.v1.GetEntityResponse;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.GetOperationRequest;
import dev.hapax.v1.GetOperationResponse;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.GetRunResponse;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import dev.hapax.v1.HeldClaim;
import dev.hapax.v1.Hook;
import dev.hapax.v1.HookServiceGrpc.HookServiceImplBase;
import dev.hapax.v1.IdentityServiceGrpc.IdentityServiceImplBase;
import dev.hapax.v1.Janitor;
import dev.hapax.v1.JanitorServiceGrpc.JanitorServiceImplBase;
import dev.hapax.v1.ListClaimsRequest;
import dev.hapax.v1.ListClaimsResponse;
import dev.hapax.v1.ListJanitorsRequest;
import dev.hapax.v1.ListJanitorsResponse;
import dev.hapax.v1.ListOperationsRequest;
import dev.hapax.v1.ListOperationsResponse;
import dev.hapax.v1.ListProblemsRequest;
import dev.hapax.v1.ListProblemsResponse;
import dev.hapax.v1.ListQueuesRequest;
import dev.hapax.v1.ListQueuesResponse;
import dev.hapax.v1.ListRunEventsRequest;
import dev.hapax.v1.ListRunEventsResponse;
import dev.hapax.v1.ListRunsRequest;
import dev.hapax.v1.ListRunsResponse;
import dev.hapax.v1.ListServersRequest;
import dev.hapax.v1.ListServersResponse;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.ListStepsResponse;
import dev.hapax.v1.ListWorkspacesRequest;
import dev.hapax.v1.ListWorkspacesResponse;
import dev.hapax.v1.MonitoringServiceGrpc.MonitoringServiceImplBase;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationServiceGrpc.OperationServiceImplBase;
import dev.hapax.v1.Principal;
import dev.hapax.v1.PrincipalKind;
import dev.hapax.v1.Problem;
import dev.hapax.v1.QueueState;
import dev.hapax.v1.Role;
import dev.hapax.v1.RoleGrant;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunCount;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunServiceGrpc.RunServiceImplBase;
import dev.hapax.v1.ServerInfo;
import dev.hapax.v1.ServerState;
import dev.hapax.v1.Step;
import dev.hapax.v1.WhoAmIRequest;
import dev.hapax.v1.WhoAmIResponse;
import dev.hapax.v1.WorkspaceState;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The services that pages call, with one run; keys are {@code viewer-key} and the like. */
final class FakeApi implements AutoCloseable {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
  private static final Context.Key<@Nullable String> CREDENTIAL = Context.key("credential");
  private static final Map<String, Role> ROLES =
      Map.of(
          "Bearer viewer-key", Role.ROLE_VIEWER,
          "Bearer operator-key", Role.ROLE_OPERATOR,
          "Bearer application-key", Role.ROLE_APPLICATION);

  final List<CancelRunRequest> cancelled = new CopyOnWriteArrayList<>();
  final List<ListRunsRequest> lists = new CopyOnWriteArrayList<>();
  final Set<String> revoked = ConcurrentHashMap.newKeySet();
  final AtomicInteger reads = new AtomicInteger();

  /** How many callers were refused because they had no credentials, or wrong ones. */
  final AtomicInteger unknownCallers = new AtomicInteger();

  /** Runs beside the one, for lists and changes. */
  final List<Run> others = new CopyOnWriteArrayList<>();

  /** What a change of a run is answered, by its id. */
  final Map<String, Status> refusals = new ConcurrentHashMap<>();

  /** Changes of runs wait for it. */
  volatile CountDownLatch gate = new CountDownLatch(0);

  volatile boolean authenticates;

  /** What each caller is answered who asks for its rights. */
  volatile Status identification = Status.OK;

  volatile String principal = "tester";
  volatile Run run = Run.getDefaultInstance();
  volatile List<Step> steps = List.of();
  volatile List<RunEvent> events = List.of();

  /** How many events a page has at most, as if they were large. */
  volatile int cut = Integer.MAX_VALUE;

  volatile List<String> why = List.of();
  volatile String token = "";
  volatile String entity = "";
  volatile List<RunCount> counts = List.of();
  volatile List<QueueState> queues = List.of();
  volatile List<Problem> problems = List.of();
  volatile List<ServerState> servers = List.of();
  volatile int intents;
  volatile List<WorkspaceState> workspaces = List.of();
  volatile String cell = "";
  volatile String movingTo = "";
  volatile boolean isKnown = true;
  volatile List<Janitor> janitors = List.of();
  volatile List<Operation> operations = List.of();
  volatile List<HeldClaim> claims = List.of();

  private final Server server;
  private final ManagedChannel channel;

  FakeApi() throws IOException {
    var name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(new Identities())
            .addService(new Runs())
            .addService(new Counts())
            .addService(new Janitors())
            .addService(new Operations())
            .addService(new Hooks())
            .addService(new Entities())
            .intercept(new Credentials())
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  Channel channel() {
    return channel;
  }

  @Override
  public void close() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private static <A> void answer(StreamObserver<A> observer, A answer) {
    observer.onNext(answer);
    observer.onCompleted();
  }

  private static final class Credentials implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      var context = Context.current().withValue(CREDENTIAL, headers.get(AUTHORIZATION));
      return Contexts.interceptCall(context, call, headers, next);
    }
  }

  private final class Identities extends IdentityServiceImplBase {
    @Override
    public void whoAmI(WhoAmIRequest request, StreamObserver<WhoAmIResponse> observer) {
      if (!identification.isOk()) {
        observer.onError(identification.asException());
        return;
      }
      var credential = CREDENTIAL.get();
      var role = credential == null ? null : ROLES.get(credential);
      if (authenticates && (role == null || revoked.contains(credential))) {
        unknownCallers.incrementAndGet();
        observer.onError(Status.UNAUTHENTICATED.withDescription("unknown key").asException());
        return;
      }
      answer(
          observer,
          WhoAmIResponse.newBuilder().setPrincipal(role == null ? local() : of(role)).build());
    }

    private static Principal local() {
      return Principal.newBuilder()
          .setKind(PrincipalKind.PRINCIPAL_KIND_LOCAL)
          .setName("local")
          .build();
    }

    private Principal of(Role role) {
      return Principal.newBuilder()
          .setKind(PrincipalKind.PRINCIPAL_KIND_API_KEY)
          .setName(principal)
          .addGrants(
              RoleGrant.newBuilder()
                  .setRole(role)
                  .addWorkspaces("default")
                  .addQueues("*")
                  .addDefinitions("*"))
          .build();
    }
  }

  private final class Runs extends RunServiceImplBase {
    @Override
    public void listRuns(ListRunsRequest request, StreamObserver<ListRunsResponse> observer) {
      reads.incrementAndGet();
      lists.add(request);
      var statuses = request.getStatusesList();
      var runs =
          Stream.concat(Stream.of(run), others.stream())
              .filter(each -> statuses.isEmpty() || statuses.contains(each.getStatus()))
              .toList();
      answer(observer, ListRunsResponse.newBuilder().addAllRuns(runs).build());
    }

    @Override
    public void getRun(GetRunRequest request, StreamObserver<GetRunResponse> observer) {
      reads.incrementAndGet();
      if (!request.getRunId().equals(run.getId())) {
        observer.onError(
            Status.NOT_FOUND
                .withDescription("no run has the id " + request.getRunId())
                .asException());
        return;
      }
      answer(observer, GetRunResponse.newBuilder().setRun(run).build());
    }

    @Override
    public void explainRun(ExplainRunRequest request, StreamObserver<ExplainRunResponse> observer) {
      answer(observer, ExplainRunResponse.newBuilder().addAllSentences(why).build());
    }

    @Override
    public void listSteps(ListStepsRequest request, StreamObserver<ListStepsResponse> observer) {
      answer(observer, ListStepsResponse.newBuilder().addAllSteps(steps).build());
    }

    @Override
    public void listRunEvents(
        ListRunEventsRequest request, StreamObserver<ListRunEventsResponse> observer) {
      var token = request.getPageToken();
      var after = Math.max(request.getAfterVersion(), token.isEmpty() ? 0 : Long.parseLong(token));
      var later = events.stream().filter(event -> event.getVersion() > after).toList();
      var page = later.subList(0, Math.min(later.size(), Math.min(cut, request.getPageSize())));
      answer(
          observer,
          ListRunEventsResponse.newBuilder()
              .addAllEvents(page)
              .setNextPageToken(
                  page.size() < later.size() ? Long.toString(page.getLast().getVersion()) : "")
              .build());
    }

    @Override
    public void cancelRun(CancelRunRequest request, StreamObserver<CancelRunResponse> observer) {
      if ("Bearer viewer-key".equals(CREDENTIAL.get())) {
        observer.onError(
            Status.PERMISSION_DENIED
                .withDescription("the permission operate is missing")
                .asException());
        return;
      }
      awaitGate();
      var refusal = refusals.get(request.getRunId());
      if (refusal != null) {
        observer.onError(refusal.asException());
        return;
      }
      cancelled.add(request);
      answer(observer, CancelRunResponse.newBuilder().setRun(run).build());
    }
  }

  private void awaitGate() {
    try {
      gate.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** A page of a list; its token is the index of the next item. */
  private record Page<T>(List<T> items, String nextToken) {
    static <T> Page<T> of(List<T> all, String token, int size) {
      var from = token.isEmpty() ? 0 : Integer.parseInt(token);
      var to = Math.min(all.size(), from + size);
      return new Page<>(all.subList(from, to), to < all.size() ? Integer.toString(to) : "");
    }
  }

  private final class Counts extends MonitoringServiceImplBase {
    @Override
    public void countRuns(CountRunsRequest request, StreamObserver<CountRunsResponse> observer) {
      reads.incrementAndGet();
      answer(observer, CountRunsResponse.newBuilder().addAllCounts(counts).build());
    }

    @Override
    public void listProblems(
        ListProblemsRequest request, StreamObserver<ListProblemsResponse> observer) {
      answer(
          observer,
          ListProblemsResponse.newBuilder()
              .setKnown(isKnown)
              .addAllProblems(problems)
              .setCell(cell)
              .setMovingTo(movingTo)
              .build());
    }

    @Override
    public void listServers(
        ListServersRequest request, StreamObserver<ListServersResponse> observer) {
      answer(
          observer,
          ListServersResponse.newBuilder()
              .addAllServers(servers)
              .setIntents(intents)
              .setOldestIntentAt(Timestamps.fromMillis(System.currentTimeMillis() - 310_000))
              .build());
    }

    @Override
    public void listWorkspaces(
        ListWorkspacesRequest request, StreamObserver<ListWorkspacesResponse> observer) {
      var page = Page.of(workspaces, request.getPageToken(), request.getPageSize());
      answer(
          observer,
          ListWorkspacesResponse.newBuilder()
              .addAllWorkspaces(page.items())
              .setNextPageToken(page.nextToken())
              .build());
    }

    @Override
    public void getServerInfo(
        GetServerInfoRequest request, StreamObserver<GetServerInfoResponse> observer) {
      answer(
          observer,
          GetServerInfoResponse.newBuilder()
              .setServer(ServerInfo.newBuilder().setVersion("1.2.0").setSchemaVersion(40))
              .build());
    }

    @Override
    public void listQueues(ListQueuesRequest request, StreamObserver<ListQueuesResponse> observer) {
      var page = Page.of(queues, request.getPageToken(), request.getPageSize());
      answer(
          observer,
          ListQueuesResponse.newBuilder()
              .addAllQueues(page.items())
              .setNextPageToken(page.nextToken())
              .build());
    }
  }

  private final class Janitors extends JanitorServiceImplBase {
    @Override
    public void listJanitors(
        ListJanitorsRequest request, StreamObserver<ListJanitorsResponse> observer) {
      var page = Page.of(janitors, request.getPageToken(), request.getPageSize());
      answer(
          observer,
          ListJanitorsResponse.newBuilder()
              .addAllJanitors(page.items())
              .setNextPageToken(page.nextToken())
              .build());
    }
  }

  private static <A> void answerIf(boolean known, StreamObserver<A> observer, A answer) {
    if (known) {
      answer(observer, answer);
    } else {
      observer.onError(Status.NOT_FOUND.withDescription("there is none").asException());
    }
  }

  private final class Hooks extends HookServiceImplBase {
    @Override
    public void getHook(GetHookRequest request, StreamObserver<GetHookResponse> observer) {
      answerIf(
          request.getToken().equals(token),
          observer,
          GetHookResponse.newBuilder().setHook(Hook.newBuilder().setRunId(run.getId())).build());
    }
  }

  private final class Entities extends EntityServiceImplBase {
    @Override
    public void getEntity(GetEntityRequest request, StreamObserver<GetEntityResponse> observer) {
      answerIf(
          (request.getLifecycle() + "/" + request.getEntityId()).equals(entity),
          observer,
          GetEntityResponse.getDefaultInstance());
    }

    @Override
    public void listClaims(ListClaimsRequest request, StreamObserver<ListClaimsResponse> observer) {
      answer(observer, ListClaimsResponse.newBuilder().addAllClaims(claims).build());
    }
  }

  private final class Operations extends OperationServiceImplBase {
    @Override
    public void getOperation(
        GetOperationRequest request, StreamObserver<GetOperationResponse> observer) {
      var found =
          operations.stream()
              .filter(each -> each.getOperation().equals(request.getOperation()))
              .filter(each -> each.getRequestId().equals(request.getRequestId()))
              .findFirst();
      answerIf(
          found.isPresent(),
          observer,
          GetOperationResponse.newBuilder()
              .setOperation(found.orElse(Operation.getDefaultInstance()))
              .build());
    }

    @Override
    public void listOperations(
        ListOperationsRequest request, StreamObserver<ListOperationsResponse> observer) {
      var states = request.getStatesList();
      var found =
          operations.stream()
              .filter(each -> states.isEmpty() || states.contains(each.getState()))
              .toList();
      var page = found.stream().limit(request.getPageSize()).toList();
      answer(
          observer,
          ListOperationsResponse.newBuilder()
              .addAllOperations(page)
              .setNextPageToken(page.size() < found.size() ? "more" : "")
              .build());
    }
  }
}
