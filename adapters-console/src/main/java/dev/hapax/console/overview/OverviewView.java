package dev.hapax.console.overview;

import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.StatusTag;
import java.util.List;
import java.util.Optional;

/**
 * The activity of a workspace.
 *
 * @param isKnown whether it has any record; it may be misspelt otherwise
 * @param cell that of the workspace, with the one to which it moves; empty = there is one cell
 * @param alarms what is wrong with the installation
 */
public record OverviewView(
    boolean isKnown,
    String cell,
    List<String> alarms,
    List<StatusCount> statuses,
    List<DefinitionCounts> definitions,
    List<QueueRow> queues,
    boolean moreQueues,
    List<StuckLine> problems) {
  /** The runs of one status; a count that stopped at its limit ends with a plus. */
  public record StatusCount(StatusTag status, String runs, String href) {}

  /** The runs of one definition, by status in the order of the columns. */
  public record DefinitionCounts(String name, List<StatusCount> counts) {}

  /** A queue. */
  public record QueueRow(
      String name, long ready, Optional<DisplayTime> oldest, long held, long polls) {}
}
