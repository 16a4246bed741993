package dev.hapax.bootstrap.acceptance;

import static dev.hapax.bootstrap.acceptance.LimitCaller.rate;
import static dev.hapax.bootstrap.acceptance.LimitCaller.step;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import dev.hapax.v1.ExplainReason;
import dev.hapax.v1.Limit;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.SetLimitRequest;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs at a step with a rate, on two servers. */
class LimitRateIT {
  private static final Deployment deployment = Deployment.start();
  private static final String other = deployment.add().awaitReady();

  private final LimitCaller caller = LimitCaller.to(deployment.target());
  private final LimitCaller elsewhere = caller.via(other);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterAll
  static void stop() {
    deployment.close();
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    elsewhere.close();
    caller.close();
  }

  @Test
  @DisplayName(
      "at 20 in 2 s, runs over two servers are never more than 21 in any 2 s, and no server leaves a"
          + " start to the search of every 5 s")
  @Tag("turns-L7")
  void evenly() throws Exception {
    var per = Durations.fromSeconds(2);
    caller.runs().define("order", step("call", rate(20, per)));
    var number = 50;
    var ended = new AtomicInteger();
    var workers =
        IntStream.range(0, 4)
            .mapToObj(
                i -> threads.submit(() -> work(i % 2 == 0 ? caller : elsewhere, ended, number)))
            .toList();
    var starts =
        IntStream.range(0, number)
            .mapToObj(
                i ->
                    threads.submit(
                        () -> (i % 2 == 0 ? caller : elsewhere).start("order", "acme").getId()))
            .toList();
    var runs = new ArrayList<String>();
    for (var start : starts) {
      runs.add(start.get());
    }
    for (var worker : workers) {
      worker.get();
    }
    var times = runs.stream().map(run -> admittedAt(caller.runs().events(run))).sorted().toList();
    for (var i = 0; i + 21 < number; i++) {
      assertThat(times.get(i + 21) - times.get(i)).isGreaterThan(Durations.toMicros(per));
    }
    // the search alone would take 250 s
    assertThat(times.getLast() - times.getFirst()).isLessThan(25_000_000L);
  }

  private static void work(LimitCaller server, AtomicInteger ended, int number) {
    while (ended.get() < number) {
      for (var task : server.runs().poll(server.runs().polling("w").setWait(Caller.millis(500)))) {
        var _ = server.runs().complete(task.getClaim(), "1");
        ended.incrementAndGet();
      }
    }
  }

  /** The only run that does not wait enters the queue as it starts. */
  private static long admittedAt(List<RunEvent> events) {
    return events.stream()
        .filter(RunEvent::hasAdmitted)
        .findFirst()
        .map(event -> Timestamps.toMicros(event.getAt()))
        .orElseGet(() -> Timestamps.toMicros(events.getFirst().getAt()));
  }

  @Test
  @DisplayName(
      "ExplainRun and ListLimits say when the next one may start; SetLimit applies at once")
  @Tag("turns-L7")
  void shown() {
    caller.runs().define("order", step("call", rate(1, Durations.fromHours(1))));
    caller.work(caller.start("order", "acme").getId());
    var waits = elsewhere.start("order", "acme").getId();
    var blocked = caller.runs().events(waits).getLast().getBlocked();
    assertThat(blocked.getLimit()).isEqualTo(LimitCaller.LIMIT);
    assertThat(blocked.getRate()).isTrue();
    assertThat(caller.state("acme"))
        .matches(limit -> limit.hasNextAt() && limit.getWaiting() == 1)
        .matches(limit -> limit.getMaxStarts() == 1 && limit.getMaxRunning() == 0)
        .matches(limit -> limit.getPer().equals(Durations.fromHours(1)));
    var why = caller.runs().explain(waits);
    assertThat(why.getReason()).isEqualTo(ExplainReason.EXPLAIN_REASON_LIMIT);
    assertThat(why.getSentencesList())
        .anyMatch(
            sentence ->
                sentence.startsWith(
                    "Limit \"api\" (\"acme\"): at most 1 start in 1h, the next one may start at "));

    var request =
        SetLimitRequest.newBuilder()
            .setWorkspace(caller.runs().workspace())
            .setName(LimitCaller.LIMIT)
            .setMaxStarts(10_000)
            .setPer(Durations.fromSeconds(1))
            .build();
    assertThat(elsewhere.limits().setLimit(request).getSetting())
        .matches(set -> set.getMaxStarts() == 10_000 && set.getMaxRunning() == 0);
    assertThat(caller.limits().setLimit(request).getAlready()).isTrue();
    caller.work(waits);
  }

  @Test
  @DisplayName("bad rates are refused with the path of the field")
  @Tag("turns-L7")
  void refused() {
    var second = Durations.fromSeconds(1);
    refused("max_starts", rate(-1, second));
    refused("max_starts", rate(10_001, second));
    refused("per", rate(1, Durations.fromMillis(999)));
    refused("per", rate(1, Durations.fromSeconds(86_401)));
    refused("per", rate(1, second).clearPer());
    refused("per", rate(1, second).clearMaxStarts().setMaxRunning(1));
    refused("max_running", rate(1, second).clearPer().clearMaxStarts());
    for (var bad :
        List.of(
            SetLimitRequest.newBuilder().setName("a").setPer(second),
            SetLimitRequest.newBuilder().setName("a").setMaxStarts(1),
            SetLimitRequest.newBuilder()
                .setName("a")
                .setMaxStarts(1)
                .setPer(second)
                .setRemove(true),
            SetLimitRequest.newBuilder().setName("a").setMaxRunning(1).setRemove(true))) {
      assertThat(Refusal.of(() -> caller.limits().setLimit(bad.build())).code())
          .isEqualTo(Code.INVALID_ARGUMENT);
    }
  }

  private void refused(String field, Limit.Builder limit) {
    var refusal = Refusal.of(() -> caller.runs().define("bad", step("call", limit)));
    assertThat(refusal.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refusal.fields()).containsExactly("steps[0].task.limits[0]." + field);
  }
}
