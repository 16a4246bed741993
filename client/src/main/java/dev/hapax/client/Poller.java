package dev.hapax.client;

import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.WorkerServiceGrpc;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for as many tasks as there is room for, one poll at a time. A poll has one attempt id,
 * however often it is sent: tasks of an answer that got lost come with the next.
 */
final class Poller {

  private static final Logger log = LoggerFactory.getLogger(Poller.class);
  private static final int MAX_TASKS = 500;
  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);
  private static final Duration AFTER_NOTHING = Duration.ofMillis(100);

  private final Wire wire;
  private final Timing timing;
  private final Workbench bench;
  private final PollTasksRequest template;
  private final Duration wait;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
  private PollTasksRequest asked;
  private @Nullable CompletableFuture<Wire.Answer<PollTasksResponse>> underWay;
  private boolean busy;
  private boolean stopped;

  Poller(Wire wire, Timing timing, Workbench bench, PollTasksRequest template) {
    this.wire = wire;
    this.timing = timing;
    this.bench = bench;
    this.template = template;
    this.asked = template;
    this.wait = WireTimes.toJava(template.getWait());
  }

  /** Asks, if there is room and no poll under way. */
  void next() {
    CompletableFuture<Wire.Answer<PollTasksResponse>> sent;
    synchronized (this) {
      int free = bench.free();
      if (stopped || busy || free <= 0) {
        return;
      }
      busy = true;
      asked =
          template.toBuilder()
              .setAttemptId(UUID.randomUUID().toString())
              .setMaxTasks(Math.min(free, MAX_TASKS))
              .build();
      sent = wire.sendUntilAnswered(WorkerServiceGrpc.getPollTasksMethod(), asked, wait, FOR_EVER);
      underWay = sent;
    }
    var unused = sent.whenComplete(this::answered);
  }

  /** Asks no more. Done when it is known which tasks the last poll brought. */
  CompletableFuture<@Nullable Void> stop() {
    CompletableFuture<Wire.Answer<PollTasksResponse>> last;
    synchronized (this) {
      if (stopped) {
        return ended;
      }
      stopped = true;
      last = underWay;
    }
    if (last == null) {
      ended.complete(null);
    } else {
      // its answer may be on the way: then the tasks are ours, and would be missed for a lease
      last.cancel(false);
    }
    return ended;
  }

  private void answered(
      Wire.@Nullable Answer<PollTasksResponse> answer, @Nullable Throwable error) {
    if (answer != null) {
      take(answer);
    }
    boolean last;
    synchronized (this) {
      underWay = null;
      last = stopped;
    }
    if (last) {
      if (answer == null) {
        askOnceMore();
      } else {
        ended.complete(null);
      }
    } else if (answer == null) {
      log.error("Hapax refuses to hand out tasks", error);
      pause(AFTER_REFUSAL);
    } else if (answer.response().getTasksCount() == 0 && answer.roundTrip() < wait.toNanos() / 2) {
      pause(AFTER_NOTHING);
    } else {
      ready();
    }
  }

  private void take(Wire.Answer<PollTasksResponse> answer) {
    answer.response().getTasksList().forEach(task -> bench.take(task, answer));
  }

  private void askOnceMore() {
    var unused =
        wire.sendUntilAnswered(
                WorkerServiceGrpc.getPollTasksMethod(),
                asked.toBuilder().clearWait().build(),
                Duration.ZERO,
                wire.tryTimeout())
            .whenComplete(
                (answer, error) -> {
                  if (answer != null) {
                    take(answer);
                  }
                  ended.complete(null);
                });
  }

  private void pause(Duration pause) {
    timing.after(pause, this::ready);
  }

  private void ready() {
    synchronized (this) {
      busy = false;
    }
    next();
  }
}
