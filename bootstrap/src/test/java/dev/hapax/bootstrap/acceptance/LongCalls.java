package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.ListenableFuture;
import dev.hapax.v1.ActionFailureKind;
import dev.hapax.v1.AwaitRunResponse;
import dev.hapax.v1.BeginActionResponse;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Claim;
import dev.hapax.v1.PollTasksResponse;
import dev.hapax.v1.RunStatus;
import dev.hapax.v1.SignalDisposition;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Calls that wait for the records of one workspace until {@link #end} ends the waits. */
sealed interface LongCalls {
  int RECORDS = 10;

  /** A call that waits for so many seconds, in a place of its quota. */
  ListenableFuture<?> first(ClaimCaller client, int number, int seconds);

  /** A call of another kind that waits for long. */
  ListenableFuture<?> second(ClaimCaller client, int number);

  /** Calls of a connection are read in order: once this one is answered, earlier ones wait. */
  void requireRead(ClaimCaller client);

  /** Whether the answer to {@link #first} is that it waited in vain. */
  boolean isVain(Object answer);

  /** Ends all waits for a record, and checks that each call got what was its own. */
  void end(List<Future<?>> first, List<Future<?>> second);

  /** Checks that none of those who went was granted anything. */
  void requireUngranted();

  /** Which calls wait. */
  enum Kind {
    OPERATIONS(OfOperations::new),
    RUNS(OfRuns::new),
    ENTITIES(OfEntities::new);

    private final Function<ClaimCaller, LongCalls> calls;

    Kind(Function<ClaimCaller, LongCalls> calls) {
      this.calls = calls;
    }

    LongCalls of(ClaimCaller caller) {
      return calls.apply(caller);
    }
  }

  /** BeginOperation of keys that are held. */
  record OfOperations(Caller caller, List<Claim> claims) implements LongCalls {
    OfOperations(ClaimCaller caller) {
      this(
          caller.runs().caller(),
          IntStream.range(0, RECORDS)
              .mapToObj(i -> caller.runs().caller().acquire("key-" + i))
              .toList());
    }

    @Override
    public ListenableFuture<?> first(ClaimCaller client, int number, int seconds) {
      var begin = caller.begin("key-" + number % RECORDS).setWait(Caller.seconds(seconds));
      return client.runs().caller().futures().beginOperation(begin.build());
    }

    @Override
    public ListenableFuture<?> second(ClaimCaller client, int number) {
      return first(client, number, 30);
    }

    @Override
    public void requireRead(ClaimCaller client) {
      assertThat(client.runs().caller().send(caller.begin("key-0")).hasInProgress()).isTrue();
    }

    @Override
    public boolean isVain(Object answer) {
      return ((BeginOperationResponse) answer).hasInProgress();
    }

    @Override
    public void end(List<Future<?>> first, List<Future<?>> second) {
      requireUngranted();
      assertThat(Stream.of(first, second).flatMap(List::stream).map(ConcurrentCalls::answer))
          .allMatch(answer -> ((BeginOperationResponse) answer).hasReplay());
    }

    @Override
    public void requireUngranted() {
      claims.forEach(
          claim -> assertThat(caller.complete(claim, Caller.json("1")).hasCompleted()).isTrue());
    }
  }

  /** PollTasks, and AwaitRun of a run that waits for a signal. */
  record OfRuns(RunCaller caller, String run) implements LongCalls {
    OfRuns(ClaimCaller caller) {
      this(caller.runs(), waiting(caller.runs()));
    }

    private static String waiting(RunCaller caller) {
      caller.define("order", RunCaller.signal("approval", "go"), RunCaller.task("charge"));
      return caller.started("order");
    }

    @Override
    public ListenableFuture<?> first(ClaimCaller client, int number, int seconds) {
      var poll = caller.polling("worker").setWait(Caller.seconds(seconds));
      return client.runs().workers().pollTasks(poll.build());
    }

    @Override
    public ListenableFuture<?> second(ClaimCaller client, int number) {
      return client.runs().futures().awaitRun(caller.awaiting(run));
    }

    @Override
    public void requireRead(ClaimCaller client) {
      assertThat(client.runs().get(run).getStatus()).isEqualTo(RunStatus.RUN_STATUS_WAITING);
    }

    @Override
    public boolean isVain(Object answer) {
      return ((PollTasksResponse) answer).getTasksCount() == 0;
    }

    /** One task is for one of the polls, the end of the run for all awaits. */
    @Override
    public void end(List<Future<?>> first, List<Future<?>> second) {
      signal();
      Condition.await("a poll has it", () -> first.stream().filter(Future::isDone).count() == 1);
      var polled = first.stream().filter(Future::isDone).map(ConcurrentCalls::answer).toList();
      assertThat(second).noneMatch(Future::isDone);
      var task = ((PollTasksResponse) polled.getFirst()).getTasks(0);
      assertThat(caller.complete(task.getClaim(), "1").hasCompleted()).isTrue();
      assertThat(second.stream().map(ConcurrentCalls::answer))
          .allMatch(
              answer ->
                  ((AwaitRunResponse) answer).getRun().getStatus()
                      == RunStatus.RUN_STATUS_COMPLETED);
      assertThat(first).filteredOn(Future::isDone).hasSize(1);
    }

    private void signal() {
      assertThat(caller.signal(run, "signal", "go").getDisposition())
          .isEqualTo(SignalDisposition.SIGNAL_DISPOSITION_DELIVERED);
    }

    @Override
    public void requireUngranted() {
      signal();
      assertThat(caller.poll("worker").getStep().getAttempt()).isOne();
    }
  }

  /** BeginAction of claimed entities, and PollRecoveries. */
  record OfEntities(ClaimCaller caller, List<Claim> claims) implements LongCalls {
    OfEntities(ClaimCaller caller) {
      this(caller, held(caller));
    }

    private static List<Claim> held(ClaimCaller caller) {
      caller.declare(ClaimCaller.remote().setStaleAfter(Caller.seconds(300)));
      var ids = IntStream.range(0, RECORDS).mapToObj(i -> "" + i).toList();
      ids.forEach(caller::approved);
      return ids.stream().map(caller::claimed).toList();
    }

    @Override
    public ListenableFuture<?> first(ClaimCaller client, int number, int seconds) {
      var begin = caller.begin("" + number % RECORDS).setWait(Caller.seconds(seconds));
      return client.futures().beginAction(begin.build());
    }

    @Override
    public ListenableFuture<?> second(ClaimCaller client, int number) {
      return client
          .recoverers()
          .pollRecoveries(caller.polling("worker").setWait(Caller.seconds(30)).build());
    }

    @Override
    public void requireRead(ClaimCaller client) {
      assertThat(client.send(caller.begin("0")).hasClaimFailed()).isTrue();
    }

    @Override
    public boolean isVain(Object answer) {
      return ((BeginActionResponse) answer).hasClaimFailed();
    }

    /** Of those who wait for an entity one is next, and only one. */
    @Override
    public void end(List<Future<?>> first, List<Future<?>> second) {
      fail();
      Condition.await("one acts", () -> first.stream().filter(Future::isDone).count() == 1);
      var next = first.stream().filter(Future::isDone).map(ConcurrentCalls::answer).toList();
      var claim = ((BeginActionResponse) next.getFirst()).getGranted().getClaim();
      assertThat(claim.getFence()).isGreaterThan(claims.getFirst().getFence());
      claims.stream()
          .skip(1)
          .forEach(held -> assertThat(caller.complete(held).hasCompleted()).isTrue());
      assertThat(caller.complete(claim).hasCompleted()).isTrue();
      assertThat(first.stream().map(ConcurrentCalls::answer))
          .map(BeginActionResponse.class::cast)
          .filteredOn(answer -> !answer.hasGranted())
          .hasSize(first.size() - 1)
          .allMatch(answer -> answer.getWrongStatus().getStatus().equals("closed"));
      assertThat(second).noneMatch(Future::isDone);
    }

    private void fail() {
      var failure = ActionFailureKind.ACTION_FAILURE_KIND_FAILURE;
      assertThat(caller.fail(claims.getFirst(), failure).hasFailed()).isTrue();
    }

    @Override
    public void requireUngranted() {
      fail();
      assertThat(caller.get("0").getStatus()).isEqualTo("approved");
      assertThat(caller.send(caller.begin("0")).hasGranted()).isTrue();
    }
  }
}
