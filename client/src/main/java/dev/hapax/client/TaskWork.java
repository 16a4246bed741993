package dev.hapax.client;

import com.google.protobuf.Message;
import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Observer.TaskKind;
import dev.hapax.client.internal.CompletionFunction;
import dev.hapax.client.internal.FailureText;
import dev.hapax.client.internal.InterruptibleThread;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.v1.ClaimLost;
import dev.hapax.v1.ClaimLostReason;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.CompleteTaskResponse;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.FailTaskResponse;
import dev.hapax.v1.Payload;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.ReleaseTaskResponse;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.SuspendTaskResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task in this worker: done once by its handler, then recorded. */
final class TaskWork implements Polling.Item, WorkCalls<TaskKind> {

  private static final Logger log = LoggerFactory.getLogger(TaskWork.class);
  private static final Codec<@Nullable Value> OUTPUT = Codec.of(value -> value, stored -> stored);

  // the codes of the failures that Hapax records for a holder that died, or still works
  private static final Set<String> RECLAIMED = Set.of("LEASE_LOST", "ATTEMPT_TIMEOUT");

  private final Tasks tasks;
  private final Connection connection;
  private final dev.hapax.v1.Task message;
  private final Claim claim;
  private final Execution execution;
  private final long receivedAt;
  private final CompletableFuture<@Nullable Void> handlerEnded = new CompletableFuture<>();

  // an earlier task of the same step in this worker, whose claim is lost
  private @Nullable TaskWork former;
  // what the handler returned; null = it threw, or a transaction completed the task
  private volatile @Nullable Result result;
  private TaskKind kind = TaskKind.UNRECORDED;
  private @Nullable TaskWork next;

  TaskWork(Tasks tasks, dev.hapax.v1.Task message, Answer<?> answer, @Nullable TaskWork former) {
    this.tasks = tasks;
    this.connection = tasks.connection();
    this.message = message;
    this.former = former;
    this.receivedAt = connection.calls().timing().nanos();
    int attempt = message.getStep().getAttempt();
    boolean isReclaimed = RECLAIMED.contains(message.getStep().getFailure().getCode());
    Duration lease = ProtoTimes.toJava(message.getLeaseRemaining());
    this.claim =
        Claim.of(
            new Claim.Grant(message.getClaim(), attempt, isReclaimed, false, this::completeIn),
            connection.calls().timing(),
            answer,
            lease,
            tasks.holdAtMost(),
            tasks.lossListener());
    if (message.hasAttemptRemaining()) {
      Duration left = ProtoTimes.toJava(message.getAttemptRemaining());
      claim.lease().attemptEnds(answer, answer.sentAt() + lease.toNanos(), left);
    }
    this.execution = new Execution(tasks, message, claim);
  }

  dev.hapax.v1.Task message() {
    return message;
  }

  Claim claim() {
    return claim;
  }

  long receivedAt() {
    return receivedAt;
  }

  /** Does the task, and then the next ones of its run that Hapax gives to this worker. */
  @Override
  public void run() {
    for (TaskWork work = this; work != null; work = work.next) {
      work.runOne();
    }
  }

  @Override
  public void rejected() {
    handlerEnded.complete(null);
    tasks.release(this, TaskKind.UNRECORDED);
  }

  private void runOne() {
    try {
      Result earlier = former == null ? null : former.awaitEnd(message.getStep().getAttempt());
      former = null;
      if (claim.lease().isRevoked()) {
        kind = TaskKind.LOST;
      } else {
        hold(earlier);
      }
    } finally {
      handlerEnded.complete(null);
      tasks.release(this, kind);
    }
  }

  /**
   * Waits for the end of this handler: two handlers of a step never run at once. Returns its result
   * if that was not recorded, and no other worker had the step in between.
   */
  private @Nullable Result awaitEnd(int attempt) {
    handlerEnded.join();
    return attempt == message.getStep().getAttempt() + 1 ? result : null;
  }

  private void hold(@Nullable Result earlier) {
    Holder<@Nullable Value, TaskKind> holder = new Holder<>(connection, claim, OUTPUT, this);
    try {
      kind = kind(holder.<Exception>run(tasks.renewal(), held -> work(earlier)));
    } catch (Throwable ended) {
      // fail() has logged it and recorded it, or the task is left to its lease
    }
  }

  private static TaskKind kind(Held<@Nullable Value, TaskKind> held) {
    if (held instanceof Held.Done<@Nullable Value, TaskKind> done) {
      TaskKind recorded = done.answer();
      return recorded == null ? TaskKind.COMPLETED : recorded;
    }
    if (held instanceof Held.NotCommitted<@Nullable Value, TaskKind>) {
      return TaskKind.RETRYABLE;
    }
    return held instanceof Held.Lost<@Nullable Value, TaskKind>
        ? TaskKind.LOST
        : TaskKind.UNRECORDED;
  }

  /** Returns the output; an end that is none is thrown. */
  private @Nullable Value work(@Nullable Result earlier) throws Exception {
    try {
      if (earlier != null) {
        log.info("task {} records the result of its lost attempt", claim.id());
      }
      Result ended = earlier == null ? handle() : earlier;
      // a call must not complete what a transaction did not commit
      result = claim.completed() == null || ended.end() != null ? ended : null;
      if (ended.end() != null) {
        throw new EndExecution();
      }
      return ended.output();
    } finally {
      handlerEnded.complete(null);
    }
  }

  private Result handle() throws Exception {
    InterruptibleThread thread =
        tasks.interruptsWhenLost() ? new InterruptibleThread(claim::onLost) : null;
    try {
      return tasks.inSpan(execution);
    } finally {
      if (thread != null) {
        thread.ended();
      }
    }
  }

  @Override
  public Ending<TaskKind> complete(Claim held, @Nullable Payload output) {
    Result ended = result;
    CompleteTaskRequest.Builder request =
        CompleteTaskRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setWantNext(tasks.wantsNext());
    if (output != null) {
      request.setOutput(output);
    }
    if (ended != null) {
      request.setSkip(ended.isSkipped());
      if (ended.statePatch() != null) {
        request.setStatePatch(ended.statePatch());
      }
    }
    return end(
        request.build(),
        CompleteTaskResponse.getDefaultInstance(),
        answer -> answer.message().hasClaimLost() ? answer.message().getClaimLost() : null,
        answer -> {
          var completed = answer.message().getCompleted();
          next = completed.hasNext() ? tasks.take(completed.getNext(), answer, this) : null;
          return TaskKind.COMPLETED;
        });
  }

  @Override
  public Ending<TaskKind> fail(Claim held, Throwable thrown) {
    Result ended = result;
    Ending<TaskKind> ending =
        thrown instanceof EndExecution && ended != null && ended.end() != null
            ? end(ended, ended.end())
            : failed(thrown);
    if (ending instanceof Ending.Recorded<TaskKind> recorded) {
      kind = recorded.answer();
    }
    return ending;
  }

  /** Ends an execution that does not complete the step. */
  private Ending<TaskKind> end(Result ended, ExecutionEnd end) {
    if (end instanceof ExecutionEnd.Released released) {
      ReleaseTaskRequest.Builder request =
          ReleaseTaskRequest.newBuilder()
              .setWorkspace(connection.workspace())
              .setClaim(claim.message())
              .setDelay(ProtoTimes.toProto(released.delay()));
      if (released.reason() != null) {
        request.setReason(released.reason());
      }
      return end(
          request.build(),
          ReleaseTaskResponse.getDefaultInstance(),
          answer -> answer.message().hasClaimLost() ? answer.message().getClaimLost() : null,
          answer -> TaskKind.RELEASED);
    }
    ExecutionEnd.Waiting waiting =
        end instanceof ExecutionEnd.Paused paused
            ? new ExecutionEnd.Waiting(paused.pause(), null)
            : (ExecutionEnd.Waiting) end;
    SuspendTaskRequest.Builder request =
        waiting.request().setWorkspace(connection.workspace()).setClaim(claim.message());
    if (ended.statePatch() != null) {
      request.setStatePatch(ended.statePatch());
    }
    return end(
        request.build(),
        SuspendTaskResponse.getDefaultInstance(),
        answer -> answer.message().hasClaimLost() ? answer.message().getClaimLost() : null,
        answer -> TaskKind.SUSPENDED);
  }

  private Ending<TaskKind> failed(Throwable thrown) {
    if (thrown instanceof WorkFailure declared) {
      log.info("task {} failed: {} {}", claim.id(), declared.code(), declared.getMessage());
    } else if (!claim.lease().isRevoked()) {
      log.warn("task {} failed", claim.id(), thrown);
    }
    return fail(TaskVerdict.of(thrown));
  }

  @Override
  public Ending<TaskKind> probe(Claim held) {
    Ending<TaskKind> ending =
        send(
            TaskVerdict.of(
                FailureKind.RETRYABLE,
                "NOT_COMMITTED",
                "the transaction that completed the task was not committed"));
    if (ending instanceof Ending.Recorded<TaskKind>) {
      log.warn("task {} failed: the transaction that completed it was not committed", claim.id());
    }
    return ending;
  }

  private Ending<TaskKind> fail(TaskVerdict verdict) {
    tasks.sendDetails(claim);
    if (claim.lease().isRevoked()) {
      return dropped();
    }
    try {
      return send(verdict);
    } catch (HapaxException.Refused refused) {
      log.error(
          "Hapax rejected the failure of task {}, recording it without its text",
          claim.id(),
          refused);
      return send(verdict.bare());
    }
  }

  private Ending<TaskKind> send(TaskVerdict verdict) {
    FailTaskRequest.Builder request =
        FailTaskRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setClaim(claim.message())
            .setKind(FailureText.kind(verdict.kind()))
            .setFailure(verdict.failure())
            .addAllParts(verdict.parts());
    Duration retryAfter = verdict.retryAfter();
    if (retryAfter != null) {
      request.setRetryAfter(ProtoTimes.toProto(retryAfter));
    }
    FailTaskResponse response =
        connection.record(request.build(), FailTaskResponse.getDefaultInstance(), claim).message();
    return response.hasClaimLost()
        ? new Ending.Lost<>(response.getClaimLost())
        : new Ending.Recorded<>(
            verdict.kind() == FailureKind.RETRYABLE ? TaskKind.RETRYABLE : TaskKind.FINAL);
  }

  /**
   * Sends the end of the task. The effect has happened, so a rejected one is not retried: the step
   * fails for an operator.
   */
  private <Q extends Message, R extends Message> Ending<TaskKind> end(
      Q request,
      R type,
      Function<Answer<R>, @Nullable ClaimLost> loss,
      Function<Answer<R>, TaskKind> recorded) {
    if (claim.lease().isRevoked()) {
      return dropped();
    }
    Answer<R> answer;
    try {
      answer = connection.record(request, type, claim);
    } catch (HapaxException.Refused refused) {
      log.error("Hapax rejected the result of task {}, failing the step", claim.id(), refused);
      return fail(TaskVerdict.of(FailureKind.FINAL, "RESULT_REFUSED", refused.reasonText()));
    }
    ClaimLost lost = loss.apply(answer);
    if (lost != null) {
      log.warn("task {} was lost: {}", claim.id(), lost.getReason());
      return new Ending.Lost<>(lost);
    }
    return new Ending.Recorded<>(recorded.apply(answer));
  }

  private Ending<TaskKind> dropped() {
    log.info("task {} was lost, its result is dropped", claim.id());
    return new Ending.Lost<>(claim.lease().loss());
  }

  /** Not used: an output that cannot be stored is a failure of the work. */
  @Override
  public @Nullable Payload unkept() {
    return null;
  }

  private void completeIn(Claim held, java.sql.Connection database, @Nullable Object value)
      throws SQLException {
    if (value instanceof Result) {
      throw new IllegalArgumentException(
          "a completion in a transaction cannot skip or release the step; return that without"
              + " calling completeIn");
    }
    execution.checkNoPart();
    Payload patch = execution.patch().left();
    try {
      SqlCompletion.by(
              CompletionFunction.TASK,
              connection,
              Codec.ofAny(),
              any -> new @Nullable String[] {patch == null ? null : patch.getJson()})
          .complete(claim, database, value);
    } catch (HapaxException.ClaimLost lost) {
      claim.lease().revoke(ClaimLostReason.CLAIM_LOST_REASON_LEASE_LOST);
      throw lost;
    }
  }
}
