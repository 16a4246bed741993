package dev.hapax.testkit.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.json.Document;
import dev.hapax.domain.json.Json;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.Lifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.lifecycle.LifecycleReader;
import dev.hapax.domain.lifecycle.LifecycleReads;
import dev.hapax.domain.lifecycle.LifecycleVersionId;
import dev.hapax.domain.lifecycle.Retirement;
import dev.hapax.testkit.read.ReadsContract;
import dev.hapax.testkit.read.WriteRecord;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link LifecycleReads} finds. */
public abstract class LifecycleReadsContract extends ReadsContract {

  /** Of what {@link #ledger} keeps. */
  protected abstract LifecycleReads lifecycles();

  /** A lifecycle in which a closed entity can be approved again. */
  public static Lifecycle lifecycle(String name) {
    var step =
        new Json.Obj(
            Map.of(
                "step_key", new Json.Str("reopen"),
                "status", new Json.Str("closed"),
                "successful_state", new Json.Str("approved")));
    var statuses = List.<Json>of(new Json.Str("approved"), new Json.Str("closed"));
    var document =
        new Json.Obj(
            Map.of(
                "lifecycle", new Json.Str(name),
                "module", new Json.Str("billing"),
                "status_types", new Json.Array(statuses),
                "steps", new Json.Array(List.of(step))));
    var read = LifecycleReader.read(Document.of(document));
    return read.lifecycle().orElseThrow(() -> new IllegalStateException("" + read.violations()));
  }

  private AppliedLifecycle written(Workspace to, String name, long version) {
    var id = new LifecycleId(to, name);
    var retiring =
        version > 1
            ? Optional.of(new Retirement(Set.of("closed"), 7, now.plusSeconds(10)))
            : Optional.<Retirement>empty();
    var by = new Attribution("ann", "why", new PrincipalName("api-key:billing"));
    var applied = new AppliedLifecycle(lifecycle(name), version, now, by, retiring);
    write(new LifecycleVersionId(id, version), applied.lifecycle());
    write(id, applied);
    return applied;
  }

  @Test
  @DisplayName("given a lifecycle, when it is read by its name, then it is found as it is now")
  void find() {
    written(workspace, "invoices", 1);
    var applied = written(workspace, "invoices", 2);
    var id = new LifecycleId(workspace, "invoices");
    assertThat(await(lifecycles().find(id))).contains(applied);
    assertThat(await(lifecycles().find(new LifecycleId(workspace, "orders")))).isEmpty();
    assertThat(await(lifecycles().find(new LifecycleId(elsewhere, "invoices")))).isEmpty();
    for (var version : List.of(1L, 2L)) {
      assertThat(await(lifecycles().version(new LifecycleVersionId(id, version))))
          .contains(applied.lifecycle());
    }
    assertThat(await(lifecycles().version(new LifecycleVersionId(id, 3)))).isEmpty();
  }

  @Test
  @DisplayName("given lifecycles, when they are listed, then those of the workspace come by name")
  void list() {
    var expected =
        List.of(
            written(workspace, "a", 1),
            written(workspace, "b", 1),
            written(workspace, "b2", 2),
            written(workspace, "c", 1));
    written(elsewhere, "a", 1);
    for (var size : List.of(1, 3, 4, 50)) {
      assertThat(pages(size, (Optional<String> after) -> lifecycles().list(workspace, size, after)))
          .isEqualTo(expected);
    }
    assertThat(await(lifecycles().list(new Workspace("empty"), 5, Optional.empty())).items())
        .isEmpty();
  }

  @Test
  @DisplayName("the lifecycles of a workspace are counted")
  void count() {
    var lifecycle = lifecycle("full");
    var applied = new AppliedLifecycle(lifecycle, 1, now, Attribution.SERVER, Optional.empty());
    var ids =
        IntStream.range(0, LifecycleReads.MAX_PER_WORKSPACE)
            .mapToObj(i -> new LifecycleId(workspace, "lifecycle-" + i))
            .toList();
    writeAll(ids.stream().skip(1).map(id -> new WriteRecord<>(id, applied)));
    assertThat(await(lifecycles().count(workspace))).isEqualTo(ids.size() - 1);
    write(ids.getFirst(), applied);
    assertThat(await(lifecycles().count(workspace))).isEqualTo(ids.size());
    assertThat(await(lifecycles().count(elsewhere))).isZero();
  }
}
