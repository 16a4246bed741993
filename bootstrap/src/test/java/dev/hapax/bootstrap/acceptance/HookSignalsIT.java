package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.Empty;
import dev.hapax.v1.Claim;
import dev.hapax.v1.CreateHookRequest;
import dev.hapax.v1.Disposition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.Signal;
import dev.hapax.v1.SignalDisposition;
import dev.hapax.v1.SignalFilter;
import dev.hapax.v1.SignalOutput;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.Step;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.SuspendTaskRequest;
import io.grpc.StatusRuntimeException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Signals that know their hook, and steps that wait for those of one hook. */
class HookSignalsIT {
  private final Deployment deployment = Deployment.shared();
  private final HookCaller caller = HookCaller.to(deployment.target());

  @AfterEach
  void close() {
    caller.close();
  }

  private void create(String runId, Claim claim, String token, String name) {
    var request =
        CreateHookRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setRunId(runId)
            .setClaim(claim)
            .setToken(token)
            .setName(name)
            .build();
    assertThat(caller.hooks().createHook(request).getHook().getName()).isEqualTo(name);
  }

  private void suspend(Claim claim, SignalFilter.Builder filter) {
    var request =
        SuspendTaskRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setClaim(claim)
            .setSignalFilter(filter)
            .build();
    assertThat(caller.runs().worker().suspendTask(request).hasSuspended()).isTrue();
  }

  private SignalDisposition send(String token, String signalId) {
    return caller.hooks().signalHook(caller.toOwner(token, signalId).build()).getDisposition();
  }

  @Test
  @DisplayName("given two hooks, when a task waits for one, then only its signals wake the task")
  void suspendedForOneHook() {
    var run = caller.runs().started("order");
    var claim = caller.runs().poll("w").getClaim();
    create(run, claim, "payment/1", "payment");
    create(run, claim, "shipment/1", "");
    var shipment = caller.get("shipment/1").getFingerprint();
    suspend(claim, SignalFilter.newBuilder().setHook(shipment));

    assertThat(caller.runs().signal(run, "direct", "").getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    assertThat(send("payment/1", "paid")).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);
    assertThat(waiting(run).getSignalFilter().getHook()).isEqualTo(shipment);
    assertThat(send("shipment/1", "sent"))
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);

    var task = caller.runs().poll("w");
    var payment = caller.get("payment/1").getFingerprint();
    assertThat(task.getSignalsList())
        .extracting(Signal::getSignalId, Signal::getHook, Signal::getHookName)
        .containsExactly(
            tuple("direct", "", ""),
            tuple("paid", payment, "payment"),
            tuple("sent", shipment, ""));
    suspend(task.getClaim(), SignalFilter.newBuilder().setHookName("payment"));
    assertThat(caller.runs().poll("w").getSignalsList()).as("it was there already").hasSize(3);
  }

  private Step waiting(String runId) {
    return caller.runs().steps(runId).stream()
        .filter(Step::hasSignalFilter)
        .findFirst()
        .orElseThrow();
  }

  private static StepDefinition waits(String name, SignalStep.Builder signal) {
    return StepDefinition.newBuilder().setName(name).setSignal(signal).build();
  }

  @Test
  @DisplayName(
      "given a step that waits by hook name, then a signal to that hook is its output, for all"
          + " later steps")
  void signalStepOfOneHook() {
    caller
        .runs()
        .define(
            "paid",
            waits("payment", SignalStep.newBuilder().setHookName("payment")),
            RunCaller.task("charge"),
            waits("any", SignalStep.newBuilder().setAny(Empty.getDefaultInstance())),
            RunCaller.task("ship"),
            RunCaller.task("mail"));
    var hook = StartRunRequest.Hook.newBuilder().setToken("order/1").setName("payment");
    var run = caller.send(caller.runs().start("paid").addHooks(hook)).getRun().getId();
    assertThat(caller.runs().signal(run, "direct", "").getDisposition())
        .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_BUFFERED);

    assertThat(send("order/1", "paid")).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);

    var payment = output("payment", "paid");
    var charge = caller.runs().poll("w");
    assertThat(charge.getSignalOutputsList()).containsExactly(payment);
    var _ = caller.runs().complete(charge.getClaim(), "1");
    for (var step : List.of("ship", "mail")) {
      var task = caller.runs().poll("w");
      assertThat(task.getStep().getName()).isEqualTo(step);
      assertThat(task.getSignalsList()).as("all are consumed").isEmpty();
      assertThat(task.getSignalOutputsList()).containsExactly(payment, output("any", "direct"));
      assertThat(task.getMoreSignalOutputs()).isFalse();
      var _ = caller.runs().complete(task.getClaim(), "1");
    }
    assertThat(caller.runs().get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
  }

  private static SignalOutput output(String step, String signalId) {
    return SignalOutput.newBuilder()
        .setStepName(step)
        .setOutput(Caller.json('"' + signalId + '"'))
        .build();
  }

  private StartRunRequest.Builder start(OnConflict one, OnConflict two) {
    return caller
        .runs()
        .start("order")
        .addHooks(StartRunRequest.Hook.newBuilder().setToken("one").setOnConflict(one))
        .addHooks(StartRunRequest.Hook.newBuilder().setToken("two").setOnConflict(two));
  }

  private boolean isOwned(String token) {
    try {
      return !caller.get(token).getRunId().isEmpty();
    } catch (StatusRuntimeException e) {
      assertThat(Refusal.of(e).reason()).isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND);
      return false;
    }
  }

  @Test
  @DisplayName(
      "given a start with two tokens, when the second has an owner, then no token is taken")
  void allOrNothing() {
    var owner = caller.owner("two").getId();
    var rejected =
        caller.send(start(OnConflict.ON_CONFLICT_SUPERSEDE, OnConflict.ON_CONFLICT_REJECT));
    assertThat(rejected.getDisposition()).isEqualTo(Disposition.DISPOSITION_REJECTED);
    assertThat(rejected.getOwner().getRunId()).isEqualTo(owner);
    assertThat(isOwned("one")).isFalse();

    var first = caller.owner("one").getId();
    var again =
        caller.send(start(OnConflict.ON_CONFLICT_SUPERSEDE, OnConflict.ON_CONFLICT_USE_EXISTING));
    assertThat(again.getDisposition()).isEqualTo(Disposition.DISPOSITION_USED_EXISTING);
    assertThat(again.getRun().getId()).isEqualTo(owner);
    assertThat(caller.get("one").getRunId()).as("not superseded").isEqualTo(first);

    var both =
        caller.send(start(OnConflict.ON_CONFLICT_SUPERSEDE, OnConflict.ON_CONFLICT_SUPERSEDE));
    assertThat(both.getDisposition()).isEqualTo(Disposition.DISPOSITION_SUPERSEDED);
    assertThat(both.getSupersededRunIdsList()).containsExactly(first, owner);
    assertThat(both.getOwner().getRunId()).isEqualTo(first);
    for (var token : List.of("one", "two")) {
      assertThat(caller.get(token).getRunId()).isEqualTo(both.getRun().getId());
    }
    for (var left : List.of(first, owner)) {
      assertThat(caller.runs().get(left).getSupersededBy()).isEqualTo(both.getRun().getId());
    }
  }

  @Test
  @DisplayName("given 100 starts with the same two tokens in either order, then one run owns both")
  void together() {
    var requests =
        List.of(
            start(OnConflict.ON_CONFLICT_USE_EXISTING, OnConflict.ON_CONFLICT_USE_EXISTING),
            swapped(
                start(OnConflict.ON_CONFLICT_USE_EXISTING, OnConflict.ON_CONFLICT_USE_EXISTING)));
    var answers =
        ConcurrentCalls.call(
            100, i -> caller.runs().futures().startRun(requests.get(i % 2).clone().build()));
    assertThat(answers).filteredOn(StartRunResponse::getCreated).hasSize(1);
    assertThat(answers)
        .extracting(answer -> answer.getRun().getId())
        .containsOnly(caller.get("one").getRunId());
    assertThat(caller.get("two").getRunId()).isEqualTo(caller.get("one").getRunId());
  }

  private static StartRunRequest.Builder swapped(StartRunRequest.Builder request) {
    var hooks = request.getHooksList();
    return request.clone().clearHooks().addHooks(hooks.get(1)).addHooks(hooks.get(0));
  }

  @Test
  @DisplayName("given a start with a token and a signal, then the signal arrives through the token")
  void startThroughTheToken() {
    for (var number = 1; number <= 2; number++) {
      var answer =
          caller.send(
              caller
                  .start("order/1", OnConflict.ON_CONFLICT_SIGNAL_EXISTING)
                  .setSignal(HookCaller.signal("s" + number)));
      assertThat(answer.getCreated()).isEqualTo(number == 1);
    }
    var hook = caller.get("order/1");
    assertThat(caller.runs().events(hook.getRunId()))
        .filteredOn(event -> event.getType() == RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED)
        .extracting(event -> event.getSignalReceived().getSignal().getHook())
        .containsExactly(hook.getFingerprint(), hook.getFingerprint());
  }
}
