package dev.hapax.console.run;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.CallErrors;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.ListStepsRequest;
import dev.hapax.v1.Run;
import dev.hapax.v1.SettleStepRequest;
import dev.hapax.v1.Step;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Asks what happened to a step or part whose effect is in doubt, and settles it. */
public final class SettlePage implements ConsolePage, ConsoleAction {
  private static final String STEP = "step";
  private static final String PART = "part";
  private static final String ONCE = "once";
  private static final String VERSION = "version";
  private static final String NUMBER = "[0-9]{1,18}";
  private static final int INVALID = 400;
  private static final int SERVER_ERRORS = 500;

  /**
   * What the form shows.
   *
   * @param part empty = the step itself
   * @param attempt its last attempt
   * @param doubtful the form for the part that failed the run, if this one is for its step
   * @param failure of the run; empty = it has not failed
   * @param problem why the form was refused; empty = it was not
   * @param sent the fields of a form that was refused
   * @param version the run's version on which the verdict is based
   * @param once makes the call idempotent
   */
  public record View(
      String run,
      String step,
      String part,
      Optional<Attempt> attempt,
      Optional<String> doubtful,
      String failure,
      String problem,
      Fields sent,
      String version,
      String once,
      String back) {
    /** The step or part, as it is called in a sentence. */
    public String subject() {
      return part.isEmpty() ? "step " + step : "part " + part + " of step " + step;
    }
  }

  /**
   * The last attempt.
   *
   * @param key the idempotency key that each attempt passes on
   * @param begun when the first attempt began
   */
  public record Attempt(String key, String worker, Optional<DisplayTime> begun) {
    static Attempt of(Step step, Visit visit) {
      return new Attempt(
          step.getId(),
          step.getWorkerId(),
          DisplayTime.optional(step.hasStartedAt(), step.getStartedAt(), visit.now()));
    }
  }

  /** The address of the form for a step, or for one of its parts. */
  static String href(String workspace, String run, String step, String part) {
    return Address.of(workspace, "runs", run, "settle").with(STEP, step).with(PART, part).href();
  }

  @Override
  public Reply show(Visit visit) {
    return form(visit, 200, "", new Fields(Map.of()));
  }

  private static Reply form(Visit visit, int status, String problem, Fields sent) {
    var id = visit.segment("run");
    var request = GetRunRequest.newBuilder().setWorkspace(visit.workspace()).setRunId(id).build();
    var run = visit.api().runs().getRun(request).getRun();
    var failure = run.getFailure();
    var step = visit.query().optional(STEP).orElse(run.getCurrentStep());
    var part = visit.query().text(PART);
    var view =
        new View(
            id,
            step,
            part,
            find(visit, step, part).map(each -> Attempt.of(each, visit)),
            Optional.of(failure.getPart())
                .filter(name -> part.isEmpty() && !name.isEmpty())
                .map(name -> href(visit.workspace(), id, step, name)),
            (failure.getCode() + " " + failure.getMessage()).strip(),
            problem,
            sent,
            version(run, status, sent),
            sent.optional(ONCE).orElseGet(() -> UUID.randomUUID().toString()),
            Address.ofRun(visit.workspace(), id).href());
    return new Reply.Html(status, Section.RUNS, "Settle " + id, "run/settle.jte", view);
  }

  /** A verdict with a wrong field is still about the run that the visitor has seen. */
  private static String version(Run run, int status, Fields sent) {
    return sent.optional(VERSION)
        .filter(_ -> status == INVALID)
        .orElseGet(() -> Long.toString(run.getVersion()));
  }

  private static Optional<Step> find(Visit visit, String step, String part) {
    var request =
        ListStepsRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setRunId(visit.segment("run"))
            .setPageSize(RunPage.MAX_STEPS)
            .build();
    return visit.api().runs().listSteps(request).getStepsList().stream()
        .filter(each -> each.getName().equals(part.isEmpty() ? step : part))
        .filter(each -> each.getRecordedBy().equals(part.isEmpty() ? "" : step))
        .findFirst();
  }

  @Override
  public Reply perform(Visit visit, Fields form) {
    var request =
        SettleStepRequest.newBuilder()
            .setWorkspace(visit.workspace())
            .setRunId(visit.segment("run"))
            .setStepName(form.text(STEP))
            .setPart(form.text(PART))
            .setReason(form.text("reason"))
            .setActor(Api.ACTOR)
            .setRequestId(form.text(ONCE));
    form.optional(VERSION)
        .filter(text -> text.matches(NUMBER))
        .ifPresent(text -> request.setExpectedVersion(Long.parseLong(text)));
    SettleVerdict.of(form.text("verdict")).ifPresent(verdict -> verdict.set(request, form));
    try {
      var _ = visit.api().runs().settleStep(request.build());
    } catch (StatusRuntimeException e) {
      var status = CallErrors.httpStatus(e.getStatus().getCode());
      return form(visit, status, problem(status, e), form);
    }
    return new Reply.SeeOther(Address.ofRun(visit.workspace(), visit.segment("run")).href());
  }

  /** Names the fields as the form does. */
  private static String problem(int status, StatusRuntimeException error) {
    if (error.getStatus().getCode() == Status.Code.ABORTED) {
      return "Nothing was changed: the run has changed since you opened this page. Check again.";
    }
    var sentence =
        CallErrors.sentence(error)
            .replaceFirst("^complete\\.output(\\.json)?", "Output")
            .replaceFirst("^fail\\.code", "Code")
            .replaceFirst("^fail\\.message", "Message");
    return status < SERVER_ERRORS
        ? "Nothing was changed. " + sentence
        : sentence + " Press the same button again: it settles once, even if it was settled now.";
  }
}
