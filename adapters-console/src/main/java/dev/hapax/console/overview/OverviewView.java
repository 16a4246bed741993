package dev.hapax.console.overview;

import dev.hapax.console.run.RunRow;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.StatusTag;
import java.util.List;
import java.util.Optional;

/** The activity of a workspace. */
public record OverviewView(
    List<StatusTile> statuses,
    List<DefinitionCounts> definitions,
    List<QueueRow> queues,
    boolean moreQueues,
    List<Problem> problems,
    List<RunRow> failed,
    boolean moreFailed) {
  /** The runs of one status; a count that stopped at its limit ends with a plus. */
  public record StatusCount(StatusTag status, String runs, String href) {}

  /** The runs of one status, over time. */
  public record StatusTile(StatusCount count, Trend trend) {}

  /** The runs of one definition, by status in the order of the columns. */
  public record DefinitionCounts(String name, List<StatusCount> counts) {}

  /** A queue, with its ready tasks over time. */
  public record QueueRow(
      String name, long ready, Optional<DisplayTime> oldest, long held, long polls, Trend trend) {}
}
