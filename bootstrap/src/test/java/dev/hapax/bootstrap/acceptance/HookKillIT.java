package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.v1.Claim;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.DisposeHookRequest;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.StartRunResponse;
import dev.hapax.v1.Task;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two calls race for a token on two servers, and the one server is killed meanwhile. */
@Tag("fault")
class HookKillIT {
  private static final int RACES = 100;

  private final Deployment deployment = Deployment.start();
  private final HookCaller killed = HookCaller.to(deployment.target());
  private final HookCaller left = killed.via(deployment.add().awaitReady());
  private final Persistent<HookCaller> servers = new Persistent<>(List.of(killed, left));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicInteger answers = new AtomicInteger();

  private record Race<A, B>(String token, String owner, Future<A> one, Future<B> other) {}

  @AfterEach
  void close() {
    threads.shutdownNow();
    left.close();
    killed.close();
    deployment.close();
  }

  /** Both at once, each to a server of its own at first. */
  private <A, B> List<Race<A, B>> race(Map<String, String> owners, Call<A> one, Call<B> other) {
    var races = new ArrayList<Race<A, B>>();
    owners.forEach(
        (token, owner) ->
            races.add(
                new Race<>(
                    token,
                    owner,
                    submit(races.size(), server -> one.by(server, token, owner)),
                    submit(races.size() + 1, server -> other.by(server, token, owner)))));
    return races;
  }

  private interface Call<T> {
    T by(HookCaller server, String token, String owner);
  }

  private <T> Future<T> submit(int first, Function<HookCaller, T> call) {
    return threads.submit(
        () -> {
          var answer = servers.ask(first, call);
          answers.incrementAndGet();
          return answer;
        });
  }

  private Map<String, String> owners(String name) {
    var owners = new HashMap<String, String>();
    for (var i = 0; i < RACES; i++) {
      var token = name + "/" + i;
      owners.put(token, left.owner(token).getId());
    }
    return owners;
  }

  private static boolean resume(HookCaller server, String token) {
    try {
      var _ = server.hooks().signalHook(server.toOwner(token, "confirmed").build());
      return true;
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() == Code.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private static String dispose(HookCaller server, String token, String owner) {
    var request =
        DisposeHookRequest.newBuilder()
            .setWorkspace(server.runs().workspace())
            .setToken(token)
            .setRunId(owner);
    return server.hooks().disposeHook(request.build()).getHook().getRunId();
  }

  private static OptionalLong version(List<RunEvent> history, RunEventType type) {
    var found = history.stream().filter(event -> event.getType() == type).toList();
    assertThat(found).as("once: %s", type).hasSizeLessThanOrEqualTo(1);
    return found.stream().mapToLong(RunEvent::getVersion).findFirst();
  }

  /** What was answered OK is there; nothing comes after the end. */
  private void requireReceivedBefore(RunEventType end, List<? extends Race<Boolean, ?>> races)
      throws Exception {
    for (var race : races) {
      var _ = race.other().get();
      var history = left.runs().events(race.owner());
      var received = version(history, RunEventType.RUN_EVENT_TYPE_SIGNAL_RECEIVED);
      if (race.one().get()) {
        assertThat(received).as(race.token()).isPresent();
      }
      assertThat(version(history, end)).as(race.token()).isPresent();
      assertThat(received.orElse(0)).isLessThan(version(history, end).orElseThrow());
      assertThat(Refusal.of(() -> left.get(race.token())).reason())
          .isEqualTo(ErrorReason.ERROR_REASON_HOOK_NOT_FOUND);
    }
  }

  @Test
  @DisplayName(
      "a server is killed amid 100 signals against disposals, 100 against "
          + "cancellations, and 100 completions against supersedes [X2, H7, H8, H9, H12]")
  void killed() throws Exception {
    var completing = owners("complete");
    var claims =
        left.runs().poll(left.runs().polling("worker").setMaxTasks(RACES)).stream()
            .collect(Collectors.toMap(task -> task.getRun().getId(), Task::getClaim));
    assertThat(claims).hasSize(RACES);
    var disposing = owners("dispose");
    var cancelling = owners("cancel");

    var completions =
        race(
            completing,
            (server, _, owner) -> complete(server, claims, owner),
            HookKillIT::supersede);
    var disposals =
        race(disposing, (server, token, _) -> resume(server, token), HookKillIT::dispose);
    var cancellations =
        race(
            cancelling,
            (server, token, _) -> resume(server, token),
            (server, _, owner) -> server.cancel(owner));
    Condition.await("some are answered", Condition.MUCH_WORK, () -> answers.get() > RACES);
    deployment.server().kill9();

    for (var race : completions) {
      requireOneEnd(race);
    }
    requireReceivedBefore(RunEventType.RUN_EVENT_TYPE_HOOK_DISPOSED, disposals);
    requireReceivedBefore(RunEventType.RUN_EVENT_TYPE_CANCELLED, cancellations);
  }

  private static CompleteTaskResponse complete(
      HookCaller server, Map<String, Claim> claims, String owner) {
    return server.runs().complete(Objects.requireNonNull(claims.get(owner)), "{}");
  }

  private static StartRunResponse supersede(HookCaller server, String token, String owner) {
    return server.send(
        server
            .start(token, OnConflict.ON_CONFLICT_SUPERSEDE)
            .setIdempotencyKey("instead of " + owner));
  }

  /** The run completes or is cancelled, never both, and the token has gone on. */
  private void requireOneEnd(Race<CompleteTaskResponse, StartRunResponse> race) throws Exception {
    var heir = race.other().get().getRun().getId();
    var run = left.runs().get(race.owner());
    var isCompleted = race.one().get().hasCompleted();
    assertThat(run.getStatus())
        .isEqualTo(isCompleted ? RunStatus.RUN_STATUS_COMPLETED : RunStatus.RUN_STATUS_CANCELLED);
    assertThat(run.getSupersededBy()).isEqualTo(isCompleted ? "" : heir);
    var history = left.runs().events(race.owner());
    assertThat(version(history, RunEventType.RUN_EVENT_TYPE_COMPLETED).isPresent())
        .isEqualTo(isCompleted);
    assertThat(version(history, RunEventType.RUN_EVENT_TYPE_CANCELLED).isPresent())
        .isNotEqualTo(isCompleted);
    assertThat(left.get(race.token()).getRunId()).isEqualTo(heir);
  }
}
