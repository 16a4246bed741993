package dev.hapax.testkit.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorContract;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.JanitorMode;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.janitor.JanitorReads.JanitorStatus;
import dev.hapax.domain.janitor.JanitorTiming;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.janitor.SweepRound;
import dev.hapax.domain.janitor.SweepRoundId;
import dev.hapax.testkit.read.ReadsContract;
import dev.hapax.testkit.read.WriteRecord;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link JanitorReads} finds. */
public abstract class JanitorReadsContract extends ReadsContract {

  /** Of what {@link #ledger} keeps. */
  protected abstract JanitorReads janitors();

  private JanitorStatus written(Workspace of, String module, Optional<SweepRound> last) {
    var id = new JanitorId(of, module);
    var contract =
        new JanitorContract(module, Set.of("closing"), JanitorTiming.DEFAULT, JanitorMode.REMOTE);
    var demand = new RequiredClaimStates("invoices", module, Set.of("closing"));
    var janitor =
        new Janitor(
            Optional.of(contract),
            now,
            Map.of("invoices", demand),
            new Attribution("ann", "why", new PrincipalName("api-key:billing")));
    write(id, janitor);
    last.ifPresent(round -> write(new SweepRoundId(id), round));
    return new JanitorStatus(id, janitor, last, now);
  }

  private SweepRound round(Optional<Instant> progress) {
    return new SweepRound(now, 3, progress.isPresent(), progress);
  }

  @Test
  @DisplayName("given a janitor, when it is read by its module, then it is found in its workspace")
  void find() {
    var written = written(workspace, "billing", Optional.empty());
    assertThat(await(janitors().find(written.id()))).contains(written.janitor());
    assertThat(await(janitors().find(new JanitorId(workspace, "other")))).isEmpty();
    assertThat(await(janitors().find(new JanitorId(elsewhere, "billing")))).isEmpty();
  }

  @Test
  @DisplayName(
      "given janitors, when they are listed, then they come by module with their last sweep")
  void list() {
    var expected =
        List.of(
            written(workspace, "a", Optional.empty()),
            written(workspace, "b", Optional.of(round(Optional.of(now)))),
            written(workspace, "c", Optional.of(round(Optional.empty()))));
    var other = written(elsewhere, "a", Optional.empty());
    for (var size : List.of(1, 2, 3, 50)) {
      assertThat(pages(size, (Optional<String> after) -> janitors().list(workspace, size, after)))
          .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at")
          .isEqualTo(expected);
    }
    assertThat(await(janitors().list()))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("at")
        .containsAll(expected)
        .contains(other)
        .allSatisfy(
            watched ->
                assertThat(watched.at()).isBetween(now.minusSeconds(60), now.plusSeconds(60)));
    assertThat(await(janitors().list(new Workspace("empty"), 5, Optional.empty())).items())
        .isEmpty();
  }

  @Test
  @DisplayName("the janitors of a workspace are counted")
  void count() {
    var ids =
        IntStream.range(0, JanitorReads.MAX_PER_WORKSPACE)
            .mapToObj(i -> new JanitorId(workspace, "module-" + i))
            .toList();
    writeAll(ids.stream().skip(1).map(id -> new WriteRecord<>(id, Janitor.NONE)));
    assertThat(await(janitors().count(workspace))).isEqualTo(ids.size() - 1);
    write(ids.getFirst(), Janitor.NONE);
    assertThat(await(janitors().count(workspace))).isEqualTo(ids.size());
    assertThat(await(janitors().count(elsewhere))).isZero();
  }
}
