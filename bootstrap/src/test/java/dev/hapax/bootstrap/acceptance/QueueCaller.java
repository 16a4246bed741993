package dev.hapax.bootstrap.acceptance;

import dev.hapax.v1.Disposition;
import dev.hapax.v1.GetHookRequest;
import dev.hapax.v1.GetHookResponse;
import dev.hapax.v1.OnConflict;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.StartRunResponse;
import java.time.Instant;
import java.util.List;

/** Starts runs that wait for tokens. */
record QueueCaller(HookCaller hooks) implements AutoCloseable {
  static QueueCaller to(String target) {
    return new QueueCaller(HookCaller.to(target));
  }

  /** Another connection of the same tenant. */
  QueueCaller via(String target) {
    return new QueueCaller(hooks.via(target));
  }

  RunCaller runs() {
    return hooks.runs();
  }

  StartRunRequest.Builder start(String... tokens) {
    var request = runs().start("order");
    for (var token : tokens) {
      request.addHooks(
          StartRunRequest.Hook.newBuilder()
              .setToken(token)
              .setOnConflict(OnConflict.ON_CONFLICT_QUEUE));
    }
    return request;
  }

  /** A run that owns the tokens, or waits for them. */
  Run queue(String... tokens) {
    return hooks.send(start(tokens)).getRun();
  }

  /** A run that waits. */
  Run waits(String... tokens) {
    return queued(hooks.send(start(tokens))).getRun();
  }

  static StartRunResponse queued(StartRunResponse response) {
    if (response.getDisposition() != Disposition.DISPOSITION_QUEUED) {
      throw new AssertionError("it does not wait: " + response);
    }
    return response;
  }

  GetHookResponse hook(String token) {
    return hooks
        .hooks()
        .getHook(
            GetHookRequest.newBuilder().setWorkspace(runs().workspace()).setToken(token).build());
  }

  /** The worker completes the task that must come, which is this run's. */
  void work(String run) {
    var task = runs().poll("worker");
    if (!task.getRun().getId().equals(run)) {
      throw new AssertionError("the task of another run than " + run + ": " + task);
    }
    var _ = runs().complete(task.getClaim(), "1");
  }

  List<RunEventType> events(String run) {
    return runs().events(run).stream().map(RunEvent::getType).toList();
  }

  Instant at(String run, RunEventType type) {
    return runs().events(run).stream()
        .filter(event -> event.getType() == type)
        .map(event -> Instant.ofEpochSecond(event.getAt().getSeconds(), event.getAt().getNanos()))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    hooks.close();
  }
}
