package dev.hapax.console.bulk;

import dev.hapax.console.view.Address;
import dev.hapax.console.view.Section;
import dev.hapax.console.web.ConsolePage;
import dev.hapax.console.web.Reply;
import dev.hapax.console.web.Visit;

/** Shows how far a bulk change is. */
public record BulkJobPage(BulkJobs jobs) implements ConsolePage {
  @Override
  public Reply show(Visit visit) {
    return jobs.find(visit, visit.segment("job"))
        .map(job -> shown(visit, job.progress()))
        .orElseGet(
            () ->
                Reply.missing(
                    "You have no bulk change with this id. The console keeps one for an hour"
                        + " after its end, unless the server stops."));
  }

  private static Reply shown(Visit visit, BulkJob.Progress progress) {
    var view =
        new BulkJobView(
            progress.runs(),
            progress.tried(),
            progress.changed(),
            progress.rejections().stream()
                .map(
                    rejection ->
                        new BulkJobView.Rejected(
                            rejection.run(),
                            Address.ofRun(visit.workspace(), rejection.run()).href(),
                            rejection.reason()))
                .toList(),
            progress.ended(),
            progress.failure());
    return Reply.page(Section.RUNS, "Bulk change", "bulk/job.jte", view);
  }
}
