package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("nightly")
class ConsoleIdleIT {
  private static final int TABS = 20;

  /** As often as the script of the console polls. */
  private static final long EVERY_MILLIS = 2_500;

  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final int WINDOWS = 6;

  private final ConsoleServer hapax = new ConsoleServer();
  private final RunCaller caller = new RunCaller(hapax.admin());

  @AfterEach
  void stop() {
    hapax.close();
  }

  /** A page that polls with the state that it shows. */
  private static final class Tab {
    private final HttpVisitor visitor;
    private final String path;
    private String state;

    Tab(HttpVisitor visitor, String path) {
      this.visitor = visitor;
      this.path = path;
      var first = visitor.get(path);
      assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
      this.state = state(first);
    }

    boolean changes() {
      var answer = visitor.get(path, "If-None-Match", state);
      if (answer.statusCode() == 200) {
        state = state(answer);
      }
      return answer.statusCode() == 200;
    }

    private static String state(HttpResponse<?> answer) {
      return answer.headers().firstValue("ETag").orElseThrow();
    }
  }

  @Test
  @DisplayName("given 20 open tabs and no change, then they add at most one query a second")
  void idle() {
    caller.define("order", RunCaller.signal("approval", "go"));
    var runs = IntStream.range(0, TABS - 2).mapToObj(_ -> caller.started("order")).toList();
    var visitor = hapax.visitor("viewer");
    var tabs =
        Stream.concat(Stream.of("", "runs"), runs.stream().map(run -> "runs/" + run))
            .map(path -> new Tab(visitor, hapax.page(path)))
            .toList();
    awaitRest();
    // a window may have the housekeeping of the server, as in each minute; the tabs are in each
    var most = (int) WINDOW.toSeconds();
    var added = queriesWith(tabs) - queries();
    for (var window = 1; window < WINDOWS && Math.abs(added) > most; window++) {
      added = queriesWith(tabs) - queries();
    }

    assertThat(added).isBetween(-most, most);
  }

  private int queriesWith(List<Tab> tabs) {
    try (var timer = Executors.newScheduledThreadPool(2, Thread.ofVirtual().factory())) {
      var _ =
          timer.scheduleAtFixedRate(
              () -> tabs.forEach(Tab::changes), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
      var queries = queries();
      timer.shutdownNow();
      return queries;
    }
  }

  private void awaitRest() {
    Condition.await("a second of rest", () -> hapax.counter().isQuietFor(Duration.ofSeconds(1)));
  }

  /** Counts the statements while time passes. */
  private int queries() {
    var start = System.nanoTime();
    var before = hapax.counter().queries();
    Condition.await("time passes", () -> System.nanoTime() - start >= WINDOW.toNanos());
    return hapax.counter().queries() - before;
  }

  @Test
  @DisplayName("given an open tab, when a worker begins to poll or a run changes, then it is shown")
  void live() {
    caller.define("order", RunCaller.task("charge"));
    var run = caller.started("order");
    var visitor = hapax.visitor("viewer");
    var overview = new Tab(visitor, hapax.page(""));
    var page = new Tab(visitor, hapax.page("runs/" + run));
    assertThat(List.of(overview.changes(), page.changes())).containsOnly(false);

    var poll =
        caller
            .workers()
            .pollTasks(
                caller
                    .polling("w")
                    .clearQueues()
                    .addQueues("other")
                    .setWait(Caller.seconds(30))
                    .build());
    Condition.await("the poll is shown", overview::changes);
    var _ = caller.poll("worker-1");
    Condition.await("the change is shown", page::changes);
    assertThat(visitor.get(hapax.page("runs/" + run)).body()).contains("worker-1");
    poll.cancel(true);
  }
}
