package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("secured")
class HookLostAnswerIT {
  private static final String TOKEN = "order/1";
  private final Deployment deployment = Deployment.shared();
  private final CuttingProxy proxy = new CuttingProxy(deployment.target());
  private final HookCaller caller = HookCaller.to(deployment.target());
  private final HookCaller unlucky = caller.via(proxy.target());

  @AfterEach
  void close() {
    unlucky.close();
    caller.close();
    proxy.close();
  }

  private <R> R sendAgain(Function<HookCaller, R> call) {
    return proxy.sendAgain(() -> call.apply(unlucky));
  }

  private List<RunEventType> history(String runId) {
    return caller.runs().events(runId).stream().map(RunEvent::getType).toList();
  }

  @Test
  @DisplayName("StartRun with a token sent again has the run and its token [X1, H10]")
  void start() {
    var request = caller.start(TOKEN, OnConflict.ON_CONFLICT_REJECT).setIdempotencyKey("key");
    var run = sendAgain(c -> c.send(request)).getRun();
    assertThat(caller.get(TOKEN).getRunId()).isEqualTo(run.getId());
    assertThat(caller.runs().list()).hasSize(1);
  }

  @Test
  @DisplayName("a supersede sent again supersedes once [X1, H7]")
  void supersede() {
    var first = caller.owner(TOKEN).getId();
    var request = caller.start(TOKEN, OnConflict.ON_CONFLICT_SUPERSEDE).setIdempotencyKey("key");
    var run = sendAgain(c -> c.send(request)).getRun();
    assertThat(run.getSupersedes()).isEqualTo(first);
    assertThat(run.getStatus()).isEqualTo(RunStatus.RUN_STATUS_PENDING);
    assertThat(caller.get(TOKEN).getRunId()).isEqualTo(run.getId());
    assertThat(caller.runs().list()).hasSize(2);
  }

  @Test
  @DisplayName("a start that signals sent again signals once [X1, H6]")
  void signal() {
    var owner = caller.owner(TOKEN).getId();
    var request =
        caller
            .start(TOKEN, OnConflict.ON_CONFLICT_SIGNAL_EXISTING)
            .setIdempotencyKey("key")
            .setSignal(HookCaller.signal("s"));
    assertThat(sendAgain(c -> c.send(request)).getRun().getId()).isEqualTo(owner);
    assertThat(history(owner)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED);
  }

  @Test
  @DisplayName("CreateHook sent again is the run's own [X1, H2]")
  void create() {
    var run = caller.runs().started("order");
    var request = caller.creation(run, TOKEN).build();
    assertThat(sendAgain(c -> c.hooks().createHook(request)).getHook().getRunId()).isEqualTo(run);
    assertThat(history(run)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_HOOK_CREATED);
  }

  @Test
  @DisplayName("SignalHook sent again is one signal [X1, H6]")
  void signalHook() {
    var run = caller.owner(TOKEN).getId();
    var request = caller.toOwner(TOKEN, "s").build();
    var answer = sendAgain(c -> c.hooks().signalHook(request));
    assertThat(answer.getDisposition()).isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DUPLICATE);
    assertThat(answer.getRunId()).isEqualTo(run);
    assertThat(history(run)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED);
  }

  @Test
  @DisplayName("DisposeHook sent again is one disposal [X1, H9]")
  void dispose() {
    var run = caller.owner(TOKEN).getId();
    var request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setToken(TOKEN)
            .setRunId(run)
            .build();
    var hook = sendAgain(c -> c.hooks().disposeHook(request)).getHook();
    assertThat(hook.getRunId()).isEqualTo(run);
    assertThat(hook.hasEndedAt()).isTrue();
    assertThat(history(run)).containsOnlyOnce(RunEventType.RUN_EVENT_TYPE_HOOK_DISPOSED);
  }
}
