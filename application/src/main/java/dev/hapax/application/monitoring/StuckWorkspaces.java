package dev.hapax.application.monitoring;

import dev.hapax.application.run.Tasks;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.monitoring.BacklogReads;
import dev.hapax.domain.monitoring.BacklogReads.StuckCounts;
import dev.hapax.domain.monitoring.BacklogReads.StuckWork;
import dev.hapax.domain.security.AllowedNames;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts what does not go on by itself in the workspaces of one cell.
 *
 * @param tasks knows the polls of this node
 * @param janitors the cached status of the janitors of all workspaces
 */
public record StuckWorkspaces(
    BacklogReads backlog, Tasks tasks, Supplier<List<JanitorStatus>> janitors) {
  /** A worker may be between two polls. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  /** A workspace. */
  public record Stuck(StuckCounts counts, int queuesWithoutWorkers, int janitorsOverdue) {
    public String workspace() {
      return counts.workspace().name();
    }
  }

  private record QueueId(Workspace workspace, String queue) {}

  /** Counts by workspace, in the order of their names, as {@link BacklogReads#stuck} finds them. */
  public CompletableFuture<List<Stuck>> list(AllowedNames names, String after, int most) {
    return backlog.stuck(names, after, most).thenApply(this::list);
  }

  private List<Stuck> list(StuckWork found) {
    var waiting = queuesWithoutWorkers(found);
    var overdue =
        count(
            janitors.get().stream()
                .filter(JanitorStatus::isOverdue)
                .map(janitor -> janitor.id().workspace()));
    return found.workspaces().stream()
        .map(
            counts ->
                new Stuck(
                    counts,
                    waiting.getOrDefault(counts.workspace(), 0),
                    overdue.getOrDefault(counts.workspace(), 0)))
        .toList();
  }

  private Map<Workspace, Integer> queuesWithoutWorkers(StuckWork found) {
    var polled =
        tasks.waiting().stream()
            .flatMap(
                poll -> poll.queues().stream().map(queue -> new QueueId(poll.workspace(), queue)));
    var held = found.held().stream().map(each -> new QueueId(each.workspace(), each.queue()));
    var worked = Stream.concat(polled, held).collect(Collectors.toSet());
    return count(
        found.ready().stream()
            .filter(ready -> ready.age().compareTo(GRACE) > 0)
            .filter(ready -> !worked.contains(new QueueId(ready.workspace(), ready.queue())))
            .map(BacklogReads.ReadyTasks::workspace));
  }

  private static Map<Workspace, Integer> count(Stream<Workspace> workspaces) {
    return workspaces.collect(
        Collectors.groupingBy(Function.identity(), Collectors.summingInt(_ -> 1)));
  }
}
