package dev.hapax.client.worker;

import dev.hapax.client.internal.StreamProtocol;
import dev.hapax.client.internal.StreamedCall;
import dev.hapax.client.internal.rpc.WorkerRpcs;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.WorkRequest;
import dev.hapax.v1.WorkResponse;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/** Encodes the messages of a Work stream: the worker, its credit for tasks, and its calls. */
final class WorkMessages implements StreamProtocol<WorkRequest, WorkResponse> {

  static final Set<Class<?>> REQUESTS =
      Set.of(
          CompleteTaskRequest.class,
          FailTaskRequest.class,
          SuspendTaskRequest.class,
          ReleaseTaskRequest.class,
          HeartbeatTasksRequest.class,
          RecordStepRequest.class);

  private static final int MAX_CREDIT = 500;

  private final WorkRequest.Open open;
  private final LongSupplier clock;
  private final IntSupplier freeSlots;
  private final Consumer<WorkResponse> receiver;

  // guarded by this
  private boolean opened;
  private boolean connected;
  private boolean pinging;
  private boolean stopping;
  private boolean stopSent;
  private int credit;

  /**
   * Sends nothing yet.
   *
   * @param freeSlots the free capacity, including tasks granted but not received yet
   * @param receiver gets messages with tasks, and the last one
   */
  WorkMessages(
      WorkRequest.Open open,
      LongSupplier clock,
      IntSupplier freeSlots,
      Consumer<WorkResponse> receiver) {
    this.open = open;
    this.clock = clock;
    this.freeSlots = freeSlots;
    this.receiver = receiver;
  }

  /** Requests a ping: a message is sent even without content. */
  synchronized void ping() {
    pinging = true;
  }

  /** Stops the request of tasks. */
  synchronized void stop() {
    stopping = true;
  }

  @Override
  public MethodDescriptor<WorkRequest, WorkResponse> method() {
    return WorkerRpcs.WORK;
  }

  @Override
  public synchronized boolean hasPending() {
    return pinging || (stopping ? !stopSent : creditToAdd() > 0);
  }

  /** No credit before the first message from Hapax: tasks on a broken stream would be lost. */
  private int creditToAdd() {
    return connected ? Math.min(MAX_CREDIT, freeSlots.getAsInt()) - credit : 0;
  }

  @Override
  public WorkRequest message(Map<Integer, StreamedCall<?, ?>> calls, List<Integer> cancelled) {
    WorkRequest.Builder message = WorkRequest.newBuilder().addAllCancelledCallIds(cancelled);
    calls.forEach((id, call) -> message.addCalls(call(id, call.request())));
    synchronized (this) {
      if (!opened) {
        message.setOpen(open);
        opened = true;
      }
      // the server treats only a message without content as a ping
      boolean isPing = pinging && calls.isEmpty() && cancelled.isEmpty();
      int added = stopping || isPing ? 0 : Math.max(0, creditToAdd());
      credit += added;
      message.setCredit(added).setStop(stopping && !stopSent);
      stopSent = stopping;
      pinging &= calls.isEmpty() && !isPing;
    }
    return message.setClock(clock.getAsLong()).build();
  }

  private static WorkRequest.Call call(int id, Object request) {
    WorkRequest.Call.Builder call = WorkRequest.Call.newBuilder().setCallId(id);
    if (request instanceof CompleteTaskRequest complete) {
      call.setCompleteTask(complete);
    } else if (request instanceof FailTaskRequest fail) {
      call.setFailTask(fail);
    } else if (request instanceof SuspendTaskRequest suspend) {
      call.setSuspendTask(suspend);
    } else if (request instanceof ReleaseTaskRequest release) {
      call.setReleaseTask(release);
    } else if (request instanceof HeartbeatTasksRequest heartbeat) {
      call.setHeartbeatTasks(heartbeat);
    } else if (request instanceof RecordStepRequest record) {
      call.setRecordStep(record);
    }
    return call.build();
  }

  @Override
  public void received(WorkResponse message) {
    synchronized (this) {
      connected = true;
    }
    if (message.getTasksCount() > 0 || message.getStopped()) {
      receiver.accept(message);
      synchronized (this) {
        credit -= message.getTasksCount();
      }
    }
  }

  @Override
  public void answers(WorkResponse message, Answers answers) {
    for (WorkResponse.Answer answer : message.getAnswersList()) {
      int id = answer.getCallId();
      switch (answer.getOutcomeCase()) {
        case COMPLETE_TASK -> answers.answered(id, answer.getCompleteTask());
        case FAIL_TASK -> answers.answered(id, answer.getFailTask());
        case SUSPEND_TASK -> answers.answered(id, answer.getSuspendTask());
        case RELEASE_TASK -> answers.answered(id, answer.getReleaseTask());
        case HEARTBEAT_TASKS -> answers.answered(id, answer.getHeartbeatTasks());
        case RECORD_STEP -> answers.answered(id, answer.getRecordStep());
        case ERROR -> answers.rejected(id, answer.getError());
        case OUTCOME_NOT_SET -> answers.answered(id, answer);
      }
    }
  }
}
