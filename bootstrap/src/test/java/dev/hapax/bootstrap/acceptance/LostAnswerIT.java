package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageOrBuilder;
import dev.hapax.bootstrap.acceptance.RepeatedCalls.Case;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.Entity;
import dev.hapax.v1.EntityEvent;
import dev.hapax.v1.EntityEventType;
import dev.hapax.v1.IntentServiceGrpc;
import dev.hapax.v1.JanitorServiceGrpc;
import dev.hapax.v1.LeaseRenewed;
import dev.hapax.v1.ListEntitiesRequest;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.Operation;
import dev.hapax.v1.OperationView;
import dev.hapax.v1.PollRecoveriesResponse;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RecoveryOutcome;
import dev.hapax.v1.Run;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalHookResponse;
import dev.hapax.v1.SignalRunResponse;
import dev.hapax.v1.Step;
import dev.hapax.v1.SweepRequest;
import dev.hapax.v1.Task;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("secured")
class LostAnswerIT {
  private final Deployment deployment = Deployment.shared();
  private final CuttingProxy proxy = new CuttingProxy(deployment.target());
  private final ClaimCaller caller = ClaimCaller.to(deployment.target());
  private final ClaimCaller unlucky = caller.via(proxy.target());

  @BeforeEach
  void define() {
    caller.runs().define("order", RunCaller.task("a"), RunCaller.task("b"));
  }

  @AfterEach
  void close() {
    unlucky.close();
    caller.close();
    proxy.close();
  }

  static List<Case> cases() {
    return RepeatedCalls.all();
  }

  @ParameterizedTest(
      name = "given two lost answers of {0}, then the next call changes nothing [X1]")
  @MethodSource("cases")
  @Tag("C1")
  @Tag("C2")
  @Tag("C3")
  @Tag("C4")
  @Tag("C5")
  @Tag("C6")
  @Tag("C9")
  @Tag("H2")
  @Tag("H6")
  @Tag("H7")
  @Tag("H9")
  @Tag("H10")
  void repeated(Case repeated) {
    var request =
        Edit.set(builder(repeated.request().apply(caller)), "workspace", caller.workspace())
            .build();
    proxy.loseAnswer(() -> send(request));
    repeated.meanwhile().accept(caller);
    var before = records();
    proxy.loseAnswer(() -> send(request));
    var answer = send(request);

    assertThat(records()).isEqualTo(before);
    requireRepeated(answer, before);
    requireUsable(request, answer);
  }

  private static Message.Builder builder(MessageOrBuilder request) {
    return request instanceof Message message ? message.toBuilder() : (Message.Builder) request;
  }

  private Message send(Message request) {
    return ApiMethods.call(unlucky.runs().caller(), request);
  }

  /** The records of the workspace with their histories, but for the ends of leases. */
  private List<Message> records() {
    var runs = caller.runs();
    var operations = runs.caller();
    var found = new ArrayList<Message>();
    operations
        .calls()
        .listOperations(operations.list().setView(OperationView.OPERATION_VIEW_FULL).build())
        .getOperationsList()
        .stream()
        .map(LostAnswerIT::withoutLease)
        .forEach(found::add);
    for (var run : runs.list()) {
      found.add(runs.get(run.getId()));
      found.addAll(runs.events(run.getId()));
      runs.steps(run.getId()).stream().map(LostAnswerIT::withoutLease).forEach(found::add);
    }
    found.addAll(new LimitCaller(runs).list());
    var entities = ListEntitiesRequest.newBuilder().setWorkspace(caller.workspace()).build();
    caller.entities().listEntities(entities).getEntitiesList().stream()
        .map(LostAnswerIT::withoutLease)
        .forEach(found::add);
    found.addAll(history());
    var lifecycles = ListLifecyclesRequest.newBuilder().setWorkspace(caller.workspace()).build();
    found.addAll(caller.lifecycles().listLifecycles(lifecycles).getLifecyclesList());
    caller.listJanitors().forEach(janitor -> found.add(janitor.getContract()));
    return found;
  }

  /** What became of the entity, which may be deleted. */
  private List<EntityEvent> history() {
    try {
      return caller.events("1");
    } catch (StatusRuntimeException e) {
      assertThat(e.getStatus().getCode()).isEqualTo(Code.NOT_FOUND);
      return List.of();
    }
  }

  private static Message withoutLease(Message message) {
    return switch (message) {
      case Operation operation -> operation.toBuilder().clearLeaseUntil().build();
      case Step step -> step.toBuilder().clearLeaseUntil().build();
      case Entity entity when entity.hasClaim() -> {
        var claim = entity.getClaim().toBuilder().clearLeaseUntil();
        yield entity.toBuilder().setClaim(claim).build();
      }
      default -> message;
    };
  }

  /** The answer says that it is repeated, and has the records as they are. */
  private static void requireRepeated(Message answer, List<Message> records) {
    switch (answer) {
      case Operation _, Entity _ -> assertThat(records).contains(withoutLease(answer));
      // of a batch or a task it has no payloads
      case Run run ->
          assertThat(records)
              .filteredOn(record -> record instanceof Run each && each.getId().equals(run.getId()))
              .extracting(record -> ((Run) record).getVersion())
              .containsExactly(run.getVersion());
      case LeaseRenewed renewed ->
          assertThat(renewed.getLeaseRemaining()).isEqualTo(RepeatedCalls.LEASE);
      default ->
          answer
              .getDescriptorForType()
              .getFields()
              .forEach(field -> requireRepeated(answer, field));
    }
    for (var field : answer.getAllFields().entrySet()) {
      var values =
          field.getKey().isRepeated() ? (List<?>) field.getValue() : List.of(field.getValue());
      for (var value : values) {
        if (value instanceof Message part) {
          requireRepeated(part, records);
        }
      }
    }
  }

  private static void requireRepeated(Message answer, FieldDescriptor field) {
    switch (field.getName()) {
      case "already", "deleted" ->
          assertThat(answer.getField(field)).as("%s of %s", field, answer).isEqualTo(true);
      case "created" -> assertThat(answer.getField(field)).isEqualTo(false);
      default -> {}
    }
  }

  /** What the answer grants counts, and no other caller has it. */
  private void requireUsable(Message request, Message answer) {
    switch (answer) {
      case BeginOperationResponse begun -> {
        var operations = caller.runs().caller();
        assertThat(begun.getAcquired().getReentrant()).isTrue();
        assertThat(operations.send(operations.begin("key")).hasInProgress()).isTrue();
        var completed = operations.complete(begun.getAcquired().getClaim(), Caller.json("1"));
        assertThat(completed.getCompleted().getAlready()).isFalse();
      }
      case BeginActionResponse begun -> {
        var granted = begun.getGranted();
        assertThat(granted.getReentrant()).isEqualTo(granted.getEntity().hasClaim());
        assertThat(((BeginActionResponse) send(request)).getGranted().getClaim())
            .isEqualTo(granted.getClaim());
        var completed = caller.complete(granted.getClaim());
        assertThat(completed.getCompleted().getAlready()).isFalse();
      }
      case PollTasksResponse polled -> {
        assertThat(polled.getTasksList()).hasSize(1);
        requireHeld(polled.getTasks(0));
      }
      case CompleteTaskResponse completed -> {
        var next = completed.getCompleted();
        requireHeld(next.hasNext() ? next.getNext() : caller.runs().poll("worker"));
      }
      case PollRecoveriesResponse polled -> {
        assertThat(polled.getRecoveriesList()).hasSize(1);
        assertThat(caller.poll(caller.polling("other").setWait(Caller.millis(0)))).isEmpty();
        var claim = polled.getRecoveries(0).getClaim();
        var recovered = caller.recover(claim, RecoveryOutcome.RECOVERY_OUTCOME_REVERT);
        assertThat(recovered.getCompleted().getAlready()).isFalse();
      }
      case SignalRunResponse signal -> requireDuplicate(signal.getDisposition());
      case SignalHookResponse signal -> requireDuplicate(signal.getDisposition());
      default -> {}
    }
  }

  /** Only this worker has the task, at its first attempt. */
  private void requireHeld(Task task) {
    var runs = caller.runs();
    assertThat(task.getStep().getAttempt()).isOne();
    assertThat(runs.poll(runs.polling("other").setWait(Caller.millis(0)))).isEmpty();
    assertThat(runs.complete(task.getClaim(), "1").getCompleted().getAlready()).isFalse();
  }

  private static void requireDuplicate(SignalDisposition disposition) {
    assertThat(disposition).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
  }

  @Test
  @DisplayName("given the API, then each method that changes something has a case")
  void complete() {
    // a sweep has its own test, and a nudge changes nothing
    var others =
        Set.of(JanitorServiceGrpc.getSweepMethod(), IntentServiceGrpc.getNudgeIntentsMethod());
    assertThat(
            cases().stream()
                .map(each -> each.name().replaceFirst(",.*", ""))
                .collect(Collectors.toSet()))
        .as("a new method needs a case in RepeatedCalls")
        .containsExactlyInAnyOrderElementsOf(
            ApiMethods.all().stream()
                .filter(method -> method.getType() == MethodType.UNARY && !method.isSafe())
                .filter(method -> !others.contains(method))
                .map(MethodDescriptor::getBareMethodName)
                .toList());
  }

  @Test
  @DisplayName(
      "given a lost FailAction, when it is sent with another kind, then the first counts [X1]")
  void otherKind() {
    var _ = caller.approved("1");
    var claim = caller.claimed("1");
    var kind = ActionFailureKind.ACTION_FAILURE_KIND_INVALID;
    proxy.loseAnswer(() -> unlucky.fail(claim, kind));
    var answer = unlucky.fail(claim, ActionFailureKind.ACTION_FAILURE_KIND_EXCEPTION);
    assertThat(answer.getFailed().getAlready()).isTrue();
    assertThat(caller.events("1").getLast().getActionFailed().getKind()).isEqualTo(kind);
  }

  @Test
  @DisplayName("given lost answers of Sweep, when it is sent again, then it reverts once [X1, C6]")
  void sweep() {
    var _ = caller.approved("1");
    var _ = caller.claimedShortly("1");
    var request =
        SweepRequest.newBuilder()
            .setWorkspace(caller.workspace())
            .setModule(ClaimCaller.MODULE)
            .build();
    Condition.await(
        "it is reverted",
        () -> {
          proxy.loseAnswer(() -> send(request));
          proxy.loseAnswer(() -> send(request));
          var _ = send(request);
          return caller.get("1").getStatus().equals("approved");
        });
    assertThat(caller.history("1"))
        .containsOnlyOnce(EntityEventType.ENTITY_EVENT_TYPE_CLAIM_REVERTED);
  }

  @Test
  @DisplayName("given a wait whose answer is lost, when it is sent again, then it is replayed [X1]")
  void waiting() {
    var operations = caller.runs().caller();
    var claim = operations.acquire("key");
    var request = operations.begin("key").setWait(Caller.seconds(30)).build();
    proxy.cutNextAnswer();
    var waiter = unlucky.runs().caller().futures().beginOperation(request);
    operations.complete(claim, Caller.json("1"));
    Condition.await("the answer is lost", waiter::isDone);

    assertThat(unlucky.runs().caller().calls().beginOperation(request).getReplay().getResult())
        .isEqualTo(Caller.json("1"));
  }
}
