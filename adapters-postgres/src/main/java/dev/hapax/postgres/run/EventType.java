package dev.hapax.postgres.run;

import static dev.hapax.postgres.schema.Tables.RUN_EVENT;

import dev.hapax.domain.run.RunChange;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.impl.DSL;

/** The type of a stored event. Its code is its position, from 1; new types go to the end. */
enum EventType {
  CREATED(1),
  STEP_STARTED(2),
  STEP_COMPLETED(3),
  STEP_FAILED(4),
  STEP_SUSPENDED(5),
  STEP_RESUMED(6),
  RETRY_SCHEDULED(7),
  LEASE_LOST(8),
  LEASE_GIVEN_BACK(9),
  STEP_RECORDED(10),
  SIGNAL_RECEIVED(11),
  PAUSED(12),
  RESUMED(13),
  RETRIED(14),
  RUN_COMPLETED(15),
  RUN_FAILED(16),
  RUN_CANCELLED(17),
  HOOK_CREATED(18),
  HOOK_DISPOSED(19),
  SUPERSEDED(20),
  PART_BEGUN(21),
  PART_FAILED(22),
  STEP_SETTLED(23),
  BLOCKED(24),
  ADMITTED(25);

  private static final List<EventType> ALL = List.of(values());

  private final short code;

  EventType(int code) {
    this.code = (short) code;
  }

  static EventType of(RunChange change) {
    return switch (change) {
      case RunChange.Created _ -> CREATED;
      case RunChange.StepStarted _ -> STEP_STARTED;
      case RunChange.StepCompleted _ -> STEP_COMPLETED;
      case RunChange.StepFailed _ -> STEP_FAILED;
      case RunChange.StepSuspended _ -> STEP_SUSPENDED;
      case RunChange.StepResumed _ -> STEP_RESUMED;
      case RunChange.RetryScheduled _ -> RETRY_SCHEDULED;
      case RunChange.LeaseLost _ -> LEASE_LOST;
      case RunChange.LeaseGivenBack _ -> LEASE_GIVEN_BACK;
      case RunChange.StepRecorded _ -> STEP_RECORDED;
      case RunChange.PartBegun _ -> PART_BEGUN;
      case RunChange.PartFailed _ -> PART_FAILED;
      case RunChange.StepSettled _ -> STEP_SETTLED;
      case RunChange.SignalReceived _ -> SIGNAL_RECEIVED;
      case RunChange.Paused _ -> PAUSED;
      case RunChange.Resumed _ -> RESUMED;
      case RunChange.Retried _ -> RETRIED;
      case RunChange.RunCompleted _ -> RUN_COMPLETED;
      case RunChange.RunFailed _ -> RUN_FAILED;
      case RunChange.RunCancelled _ -> RUN_CANCELLED;
      case RunChange.HookCreated _ -> HOOK_CREATED;
      case RunChange.HookDisposed _ -> HOOK_DISPOSED;
      case RunChange.Superseded _ -> SUPERSEDED;
      case RunChange.Blocked _ -> BLOCKED;
      case RunChange.Admitted _ -> ADMITTED;
    };
  }

  static EventType of(int code) {
    return ALL.get(code - 1);
  }

  short code() {
    return code;
  }

  /** A condition that an event has one of these types, as constants. */
  static Condition isOneOf(EventType... types) {
    return RUN_EVENT.TYPE.in(Stream.of(types).map(type -> DSL.inline(type.code())).toList());
  }
}
