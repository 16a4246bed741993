package dev.hapax.testkit.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Page;
import dev.hapax.domain.TimeRange;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationFilter;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationReads.Forgotten;
import dev.hapax.domain.operation.OperationReads.Listed;
import dev.hapax.domain.operation.OperationReads.Position;
import dev.hapax.domain.operation.OperationReads.Query;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Reads of operations in memory. */
final class InMemoryOperationReadsTest {
  private static final Workspace WORKSPACE = new Workspace("test");
  private static final Duration TTL = Duration.ofHours(1);

  private final SettableClock clock = new SettableClock();
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final InMemoryOperationReads reads = new InMemoryOperationReads(ledger, clock);

  /** One that was granted and has ended now. */
  private OperationId released(int number, String name) {
    var now = clock.instant();
    var subject =
        new OperationSubject(
            new OperationKey(WORKSPACE, "", name, "r-" + number, false),
            Fingerprint.of(new byte[0]));
    var grant = new Grant(number, Fence.first(now), 1, "", now, now.plus(TTL));
    var id = new OperationId(WORKSPACE, new UUID(0, number));
    var _ =
        ledger
            .submit(
                RecordAccess.write(
                    id, Optional.of(new Operation.Released(subject, grant, now, Optional.empty()))))
            .join();
    clock.advance(Duration.ofMinutes(1));
    return id;
  }

  private Page<Listed, Position> list(Set<String> names, int size, Optional<Position> after) {
    var filter =
        new OperationFilter(Set.of(), false, names, Optional.empty(), TimeRange.ALL, TimeRange.ALL);
    return reads.list(new Query(WORKSPACE, filter, false, size, after)).join();
  }

  private static List<Long> numbers(Page<Listed, Position> page) {
    return page.items().stream().map(listed -> listed.operation().grant().nonce()).toList();
  }

  @Test
  @DisplayName("a list has pages, newest first")
  void pages() {
    for (var number = 1; number <= 3; number++) {
      var _ = released(number, "charge");
    }
    var _ = released(4, "refund");

    var first = list(Set.of("charge"), 2, Optional.empty());
    assertThat(numbers(first)).containsExactly(3L, 2L);
    var second = list(Set.of("charge"), 2, first.next());
    assertThat(numbers(second)).containsExactly(1L);
    assertThat(second.next()).isEmpty();
    assertThat(numbers(list(Set.of(), 9, Optional.empty()))).containsExactly(4L, 3L, 2L, 1L);
  }

  @Test
  @DisplayName("an expired operation is hidden, and proposed for removal")
  void forgotten() {
    var id = released(1, "charge");
    assertThat(reads.find(id).join()).isPresent();
    assertThat(reads.forgotten(Instant.EPOCH, 9).join()).isEmpty();

    clock.advance(TTL);

    assertThat(reads.find(id).join()).isEmpty();
    assertThat(list(Set.of(), 9, Optional.empty()).items()).isEmpty();
    assertThat(reads.forgotten(Instant.EPOCH, 9).join())
        .extracting(Forgotten::id)
        .containsExactly(id);
  }

  @Test
  @DisplayName("given operations that are not held or never began, then they have ended")
  void ended() {
    var id = released(1, "charge");
    var never = new OperationId(WORKSPACE, new UUID(0, 2));

    assertThat(reads.ended(Set.of(id, never)).join()).containsExactlyInAnyOrder(id, never);
  }
}
