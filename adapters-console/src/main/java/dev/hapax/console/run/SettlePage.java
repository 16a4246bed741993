package dev.hapax.console.run;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Api;
import dev.hapax.console.web.ConsoleAction;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Fields;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.GetRunRequest;
import dev.hapax.v1.SettleStepRequest;
import java.util.UUID;

/** Asks what happened to a step or part whose effect is in doubt, and settles it. */
public final class SettlePage implements ConsolePage, ConsoleAction {
  private static final String STEP = "step";
  private static final String PART = "part";

  /**
   * What the form shows.
   *
   * @param part empty = the step itself
   * @param failure of the run; empty = it has not failed
   * @param once makes the call idempotent
   */
  public record View(
      String run, String step, String part, String failure, String once, String back) {
    /** The step or part, as it is called in a sentence. */
    public String subject() {
      return part.isEmpty() ? "step " + step : "part " + part + " of step " + step;
    }
  }

  /** The address of the form for a step, or for one of its parts. */
  static String href(String workspace, String run, String step, String part) {
    return Address.of(workspace, "runs", run, "settle").with(STEP, step).with(PART, part).href();
  }

  @Override
  public Reply show(Visit visit) {
    var id = visit.segment("run");
    var request = GetRunRequest.newBuilder().setWorkspace(visit.workspace()).setRunId(id).build();
    var run = visit.api().runs().getRun(request).getRun();
    var failure = run.getFailure();
    var view =
        new View(
            id,
            visit.query().optional(STEP).orElse(run.getCurrentStep()),
            visit.query().text(PART),
            (failure.getCode() + " " + failure.getMessage()).strip(),
            UUID.randomUUID().toString(),
            Address.ofRun(visit.workspace(), id).href());
    return Reply.page(Section.RUNS, "Settle " + id, "run/settle.jte", view);
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
            .setRequestId(form.text("once"));
    SettleVerdict.of(form.text("verdict")).ifPresent(verdict -> verdict.set(request, form));
    var _ = visit.api().runs().settleStep(request.build());
    return new Reply.SeeOther(Address.ofRun(visit.workspace(), visit.segment("run")).href());
  }
}
