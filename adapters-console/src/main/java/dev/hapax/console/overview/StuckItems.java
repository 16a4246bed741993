package dev.hapax.console.overview;

import dev.hapax.console.operation.OperationListFilter;
import dev.hapax.console.run.RunListFilter;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.MaxAge;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.Visit;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.RunStatus;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Describes items that are stuck for the same cause, as the server has grouped them. */
record StuckItems(Visit visit, dev.hapax.v1.Problem group) {

  /** Empty = a kind that this console does not know. */
  Optional<StuckLine> problem() {
    return switch (group.getKind()) {
      case PROBLEM_KIND_OPERATION_IN_DOUBT ->
          of(
              "operation " + group.getName(),
              operations(OperationState.OPERATION_STATE_INDETERMINATE),
              "it is unknown whether " + theyOrIt() + " took effect",
              "Find out, and resolve " + themOrIt() + ".");
      case PROBLEM_KIND_OPERATION_ABANDONED ->
          of(
              "operation " + group.getName(),
              operations(OperationState.OPERATION_STATE_IN_PROGRESS),
              "the lease of the holder has expired, and no call has taken " + themOrIt() + " over",
              "The caller has to repeat the call, or you resolve " + themOrIt() + ".");
      case PROBLEM_KIND_ENTITY_ABANDONED ->
          of(
              "entities of " + group.getName() + at(),
              Section.CLAIMS.href(visit.workspace()),
              "the lease of the holder has expired",
              "Their janitor frees them, or you release them.");
      case PROBLEM_KIND_RUN_FAILED ->
          of(
              definition() + at(),
              new RunListFilter(
                      List.of(RunStatus.RUN_STATUS_FAILED),
                      group.getName(),
                      List.of(),
                      group.getFailureCode(),
                      MaxAge.ANY)
                  .address(visit.workspace())
                  .href(),
              "failed with " + group.getFailureCode(),
              "Mend the cause, and retry.");
      case PROBLEM_KIND_STEP_IN_DOUBT ->
          of(
              definition() + at(),
              RunListFilter.of(RunStatus.RUN_STATUS_RUNNING)
                  .of(group.getName())
                  .address(visit.workspace())
                  .href(),
              "it is unknown whether the step had its effect",
              "Find out, and settle the step.");
      case PROBLEM_KIND_INTENT_REFUSED ->
          of(
              "intents " + group.getName(),
              Section.OVERVIEW.href(visit.workspace()),
              "refused with " + group.getFailureCode(),
              "hapax intent list --failed shows them.");
      case PROBLEM_KIND_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
    };
  }

  private Optional<StuckLine> of(String name, String href, String sentence, String advice) {
    return Optional.of(
        new StuckLine(
            name,
            href,
            count() + ": " + sentence + recent(),
            Optional.of(DisplayTime.of(group.getFirstAt(), visit.now())),
            advice));
  }

  private String count() {
    return group.getTruncated()
        ? String.format(Locale.ROOT, "%,d or more", group.getCount())
        : String.format(Locale.ROOT, "%,d", group.getCount());
  }

  private String recent() {
    if (group.getCount() == 1) {
      return "";
    }
    var last = ", the last one " + DisplayTime.of(group.getLastAt(), visit.now()).distance();
    return group.getLastHour() == 0
        ? last
        : String.format(Locale.ROOT, "%s, %,d in the last hour", last, group.getLastHour());
  }

  private String definition() {
    return "runs of " + group.getName() + " " + group.getVersion();
  }

  private String at() {
    return group.getStep().isEmpty() ? "" : ", " + group.getStep();
  }

  private String theyOrIt() {
    return group.getCount() == 1 ? "it" : "they";
  }

  private String themOrIt() {
    return group.getCount() == 1 ? "it" : "them";
  }

  private String operations(OperationState state) {
    return new OperationListFilter(List.of(state), group.getName(), "", MaxAge.ANY)
        .address(visit.workspace())
        .href();
  }
}
