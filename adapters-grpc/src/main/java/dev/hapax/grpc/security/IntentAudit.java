package dev.hapax.grpc.security;

import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.grpc.call.GrpcErrors;
import dev.hapax.grpc.intent.IntentErrors;
import dev.hapax.v1.EntityServiceGrpc;
import dev.hapax.v1.HookServiceGrpc;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Logs each intent whose call would be audited: a line when a server has taken it, also if it
 * failed. Its principal is the database role that posted it.
 */
public final class IntentAudit implements Consumer<WorkEvent> {
  private final AuditLog audit;

  public IntentAudit(AuditLog audit) {
    this.audit = audit;
  }

  @Override
  public void accept(WorkEvent event) {
    if (event instanceof WorkEvent.IntentTaken taken && isAudited(taken.origin().verb())) {
      audit.log(line(taken));
    }
  }

  private static boolean isAudited(IntentVerb verb) {
    return MethodRules.of(method(verb)).filter(AuditLog::isAudited).isPresent();
  }

  /** The method whose command an intent stands for. */
  private static MethodDescriptor<?, ?> method(IntentVerb verb) {
    return switch (verb) {
      case START_RUN -> RunServiceGrpc.getStartRunMethod();
      case SIGNAL_RUN -> RunServiceGrpc.getSignalRunMethod();
      case SIGNAL_HOOK -> HookServiceGrpc.getSignalHookMethod();
      case CANCEL_RUN -> RunServiceGrpc.getCancelRunMethod();
      case COMPLETE_ACTION -> EntityServiceGrpc.getCompleteActionMethod();
      case COMPLETE_TASK -> WorkerServiceGrpc.getCompleteTaskMethod();
      case COMPLETE_OPERATION -> OperationServiceGrpc.getCompleteOperationMethod();
    };
  }

  private static AuditLine line(WorkEvent.IntentTaken taken) {
    var verb = taken.origin().verb();
    var subject = new TreeMap<>(Map.of("ticket", taken.intent().ticket(verb)));
    run(taken.outcome()).ifPresent(run -> subject.put("run_id", run.text()));
    var error =
        taken.outcome() instanceof IntentOutcome.Failed failed
            ? Optional.of(GrpcErrors.of(IntentErrors.of(failed)))
            : Optional.<StatusRuntimeException>empty();
    return new AuditLine(
        taken.origin().actor().principal().text(),
        Optional.empty(),
        "",
        "hapax." + verb.name().toLowerCase(Locale.ROOT),
        List.of(taken.workspace().name()),
        subject,
        "",
        error.map(failure -> failure.getStatus().getCode()).orElse(Status.Code.OK),
        error.map(GrpcErrors::trailers).flatMap(GrpcErrors::reason),
        OptionalLong.empty());
  }

  /** The run that the outcome is about. */
  private static Optional<RunId> run(IntentOutcome outcome) {
    return switch (outcome) {
      case IntentOutcome.Started started -> started.run();
      case IntentOutcome.Signaled(var run, _) -> Optional.of(run);
      case IntentOutcome.Cancelled(var run) -> Optional.of(run);
      case IntentOutcome.Completed(var run) -> run;
      case IntentOutcome.Failed failed -> failed.run();
    };
  }
}
