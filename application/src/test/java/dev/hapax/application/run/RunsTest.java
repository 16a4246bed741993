package dev.hapax.application.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Payload;
import dev.hapax.domain.definition.RetryPolicy;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.Run;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.run.RunStatus;
import dev.hapax.domain.run.RunTimeouts;
import dev.hapax.domain.run.StepStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RunsTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private final House house = new House();

  @Test
  @DisplayName("given a timer, then it ends once, at its time [R10]")
  void timer() {
    var run = house.start(House.timer("pause", HOUR));
    assertThat(run.status()).isEqualTo(RunStatus.WAITING);

    house.pass(HOUR.minusSeconds(1));
    assertThat(house.look(run).status()).isEqualTo(RunStatus.WAITING);
    house.pass(Duration.ofSeconds(2));

    assertThat(house.look(run))
        .extracting(Run::status, Run::version)
        .containsExactly(RunStatus.COMPLETED, 5L);
    house.pass(HOUR);
    assertThat(house.look(run).version()).isEqualTo(5);
  }

  @Test
  @DisplayName("given buffered signals, then steps consume them in order")
  void buffered() {
    var run =
        house.start(
            House.task("charge"), House.signal("first", "go"), House.signal("second", "go"));
    house.signal(run, "other", "stop");
    house.signal(run, "one", "go");
    house.signal(run, "two", "go");

    house.complete(house.pollOne("poll"));

    var done = house.look(run);
    assertThat(done.status()).isEqualTo(RunStatus.COMPLETED);
    assertThat(done.output()).isEqualTo(Optional.of(new Payload.Json("\"two\"")));
    assertThat(house.runs.steps(done, 0, 10).join())
        .extracting(StepView::name)
        .containsExactly("charge", "first", "second");
  }

  @Test
  @DisplayName(
      "a signal without a type stays in the inbox while a step waits for a type, before or after it"
          + " arrives")
  void withoutType() {
    var run =
        house.start(
            House.task("charge"), House.signal("first", "go"), House.signal("second", "stop"));
    house.signal(run, "one", "");
    house.complete(house.pollOne("poll"));
    house.signal(run, "two", "");
    assertThat(house.look(run).position().step()).isEqualTo(1);
    house.signal(run, "three", "go");
    house.signal(run, "four", "stop");
    assertThat(house.look(run).status()).isEqualTo(RunStatus.COMPLETED);
  }

  @Test
  @DisplayName("every later task carries the outputs of the signal steps, by name")
  void signalOutputs() {
    var run =
        house.start(
            House.signal("approval", "go"),
            House.task("charge"),
            House.task("pack"),
            House.signal("address", "where"),
            House.task("ship"));
    house.signal(run, "yes", "go");
    var charge = house.pollOne("first");
    assertThat(charge.signalOutputs())
        .containsExactly(new RunReads.SignalOutput(0, Optional.of(new Payload.Json("\"yes\""))));
    house.complete(charge);
    var pack = house.pollOne("second");
    assertThat(pack.signalOutputs()).isEqualTo(charge.signalOutputs());
    house.complete(pack);
    house.signal(run, "office", "where");

    assertThat(house.pollOne("third").signalOutputs())
        .containsExactly(
            new RunReads.SignalOutput(0, Optional.of(new Payload.Json("\"yes\""))),
            new RunReads.SignalOutput(3, Optional.of(new Payload.Json("\"office\""))));
  }

  @Test
  @DisplayName("an await is answered when the run ends, or when it has passed a version")
  void waits() {
    var run = house.start(House.task("charge"));
    var end = house.runs.await(run.id(), 0, Duration.ofSeconds(30));
    var next = house.runs.await(run.id(), 1, Duration.ofSeconds(30));
    assertThat(end).isNotDone();
    assertThat(next).isNotDone();

    var task = house.pollOne("poll");
    assertThat(next.join()).get().extracting(Run::version).isEqualTo(2L);
    house.complete(task);

    assertThat(end.join()).get().extracting(Run::version).isEqualTo(4L);
    assertThat(house.runs.await(run.id(), 2, Duration.ZERO).join())
        .get()
        .extracting(Run::version)
        .isEqualTo(4L);
  }

  @Test
  @DisplayName("a commit of this server answers an await without a read, and one from the start")
  void answeredByCommit() {
    var run = house.start(House.task("charge"));
    var wait = Duration.ofSeconds(30);
    var end = house.runs.await(run.id(), 0, wait);
    var next = house.runs.await(run.id(), 1, wait);
    var fromStart = house.startAndAwait(wait, House.task("pack"));
    house.broken.add("find");

    house.poll("poll", Duration.ZERO).join().forEach(house::complete);

    assertThat(next.join()).get().extracting(Run::version).isEqualTo(2L);
    assertThat(end.join()).get().extracting(Run::status).isEqualTo(RunStatus.COMPLETED);
    assertThat(fromStart.join()).get().extracting(Run::status).isEqualTo(RunStatus.COMPLETED);
    assertThat(house.places.size()).isZero();
  }

  @Test
  @DisplayName("given many awaits of one run, then a commit answers some, and the others read it")
  void manyAnswered() {
    var run = house.start(House.task("charge"));
    var waits =
        Stream.generate(() -> house.runs.await(run.id(), 0, Duration.ofSeconds(30)))
            .limit(100)
            .toList();
    var reading = new CompletableFuture<Void>();
    house.held.put("find", reading);

    house.complete(house.poll("poll", Duration.ZERO).join().getFirst());

    assertThat(waits).filteredOn(CompletableFuture::isDone).hasSizeBetween(1, 99);
    reading.complete(null);
    assertThat(waits)
        .allSatisfy(
            wait ->
                assertThat(wait.join())
                    .get()
                    .extracting(Run::status)
                    .isEqualTo(RunStatus.COMPLETED));
    assertThat(house.places.size()).isZero();
  }

  @Test
  @DisplayName("an await from a start that created nothing ends at once, and holds no place")
  void nothingStarted() {
    var id = new RunId(House.WORKSPACE, house.runs.draw());
    assertThat(
            house.runs.awaitFromStart(
                id,
                Duration.ofSeconds(30),
                () -> CompletableFuture.completedFuture(Optional.empty())))
        .isCompletedWithValue(Optional.empty());
    assertThat(house.places.size()).isZero();
  }

  @Test
  @DisplayName("an explanation says what a run waits for")
  void explained() {
    var queued = house.start(House.task("charge"));
    assertThat(house.runs.explain(queued).join().reason()).isEqualTo(Explanation.Reason.NO_WORKER);
    var waiting = house.start(House.signal("approval", "decision"));
    var explanation = house.runs.explain(waiting).join();
    assertThat(explanation.reason()).isEqualTo(Explanation.Reason.SIGNAL);
    assertThat(explanation.sentences().getFirst())
        .contains("signal \"decision\"", "step \"approval\"");
  }

  @Test
  @DisplayName("an explanation names the deadline that comes next, and the end of the attempt")
  void deadlines() {
    var minute = Optional.of(Duration.ofMinutes(1));
    var hour = Optional.of(Duration.ofHours(1));
    var step =
        new StepDefinition(
            "charge",
            new StepDefinition.Task(
                new StepDefinition.Work(House.QUEUE, House.LEASE, RetryPolicy.DEFAULT, hour)));
    var run = house.start(new RunTimeouts(minute, hour), step);
    var started = run.origin().createdAt();
    assertThat(house.runs.explain(run).join().sentences().getLast())
        .isEqualTo(
            "If its first step has not started by %s, it fails (NOT_STARTED_IN_TIME)."
                .formatted(started.plus(minute.get())));
    house.pollOne("poll");
    assertThat(house.runs.explain(house.look(run)).join().sentences())
        .containsExactly(
            "Worker \"worker\" executes step \"charge\"; its lease expires at %s unless the worker renews it, and its attempt at %s."
                .formatted(started.plus(House.LEASE), started.plus(hour.get())),
            "If it has not ended by %s, it fails (RUN_TIMEOUT)."
                .formatted(started.plus(hour.get())));
  }

  @Test
  @DisplayName("given a run that did not start in time, then its step is listed as FAILED, once")
  void failedSteps() {
    var minute = Optional.of(Duration.ofMinutes(1));
    var run = house.start(new RunTimeouts(minute, Optional.empty()), House.task("charge"));
    house.pass(Duration.ofMinutes(1));
    var steps = house.runs.steps(house.look(run), 0, 10).join();
    assertThat(steps).extracting(StepView::name).containsExactly("charge");
    assertThat(steps.getFirst().status()).isEqualTo(StepStatus.FAILED);
    assertThat(steps.getFirst().failure().orElseThrow().code()).isEqualTo("NOT_STARTED_IN_TIME");
    assertThat(steps.getFirst().startedAt()).isEmpty();
  }
}
