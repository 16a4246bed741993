package dev.hapax.bootstrap.server;

import dev.hapax.application.run.PollRequest;
import dev.hapax.application.run.Tasks;
import dev.hapax.domain.ledger.Ledger;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Differs when pages of the console may show something else: after commits of this server, after
 * notices of commits of other servers, and when other queues are polled.
 */
final class PageState implements LongSupplier {
  private final AtomicLong changes = new AtomicLong();
  private final List<Tasks> polled = new CopyOnWriteArrayList<>();

  /** Also follows this cell. */
  void follow(Ledger ledger, Tasks tasks) {
    ledger.onCommit(_ -> changes.incrementAndGet());
    ledger.onRemoteCommit(changes::incrementAndGet);
    polled.add(tasks);
  }

  @Override
  public long getAsLong() {
    return changes.get() << Integer.SIZE ^ queues().hashCode();
  }

  private Set<?> queues() {
    return polled.stream()
        .flatMap(tasks -> tasks.waiting().stream())
        .flatMap(PageState::queues)
        .collect(Collectors.toSet());
  }

  private static Stream<List<?>> queues(PollRequest poll) {
    return poll.queues().stream().map(queue -> List.of(poll.workspace(), queue));
  }
}
