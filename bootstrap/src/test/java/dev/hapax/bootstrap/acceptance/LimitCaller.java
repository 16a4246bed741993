package dev.hapax.bootstrap.acceptance;

import com.google.protobuf.Duration;
import dev.hapax.v1.Limit;
import dev.hapax.v1.LimitServiceGrpc;
import dev.hapax.v1.LimitState;
import dev.hapax.v1.ListLimitsRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.SetLimitRequest;
import dev.hapax.v1.SetLimitResponse;
import dev.hapax.v1.StepDefinition;
import dev.hapax.v1.Task;
import java.util.List;

/** Starts runs at limited steps. */
record LimitCaller(RunCaller runs) implements AutoCloseable {
  static final String LIMIT = "api";
  static final String LABEL = "tenant";

  static LimitCaller to(String target) {
    return new LimitCaller(RunCaller.to(target));
  }

  /** Another connection of the same tenant. */
  LimitCaller via(String target) {
    return new LimitCaller(runs.via(target));
  }

  static Limit.Builder limit(int maxRunning) {
    return Limit.newBuilder().setName(LIMIT).setLabel(LABEL).setMaxRunning(maxRunning);
  }

  static Limit.Builder rate(int maxStarts, Duration per) {
    return Limit.newBuilder().setName(LIMIT).setLabel(LABEL).setMaxStarts(maxStarts).setPer(per);
  }

  static StepDefinition step(String name, Limit.Builder... limits) {
    var step = RunCaller.task(name).toBuilder();
    for (var limit : limits) {
      step.getTaskBuilder().addLimits(limit);
    }
    return step.build();
  }

  LimitServiceGrpc.LimitServiceBlockingStub limits() {
    return LimitServiceGrpc.newBlockingStub(runs.caller().channel());
  }

  Run start(String definition, String tenant) {
    var request = runs.start(definition);
    if (!tenant.isEmpty()) {
      request.putLabels(LABEL, tenant);
    }
    return runs.send(request).getRun();
  }

  SetLimitResponse set(String key, int maxRunning) {
    var request =
        SetLimitRequest.newBuilder().setWorkspace(runs.workspace()).setName(LIMIT).setKey(key);
    return limits()
        .setLimit(
            (maxRunning == 0 ? request.setRemove(true) : request.setMaxRunning(maxRunning))
                .build());
  }

  List<LimitState> list() {
    return limits()
        .listLimits(
            ListLimitsRequest.newBuilder()
                .setWorkspace(runs.workspace())
                .setName(LIMIT)
                .setPageSize(500)
                .build())
        .getLimitsList();
  }

  LimitState state(String key) {
    return list().stream().filter(limit -> limit.getKey().equals(key)).findFirst().orElseThrow();
  }

  /** The task that must come, which is this run's. */
  Task take(String run) {
    var task = runs.poll("worker");
    if (!task.getRun().getId().equals(run)) {
      throw new AssertionError("the task of another run than " + run + ": " + task);
    }
    return task;
  }

  void work(String run) {
    var _ = runs.complete(take(run).getClaim(), "1");
  }

  List<RunEventType> events(String run) {
    return runs.events(run).stream().map(RunEvent::getType).toList();
  }

  @Override
  public void close() {
    runs.close();
  }
}
