package dev.hapax.bootstrap.startup.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.lifecycle.Lifecycles;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.bootstrap.config.ConfigurationException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.entity.CreateEntity;
import dev.hapax.domain.entity.EntityId;
import dev.hapax.domain.janitor.Janitor;
import dev.hapax.domain.janitor.JanitorId;
import dev.hapax.domain.janitor.RequiredClaimStates;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.lifecycle.AppliedLifecycle;
import dev.hapax.domain.lifecycle.LifecycleId;
import dev.hapax.domain.run.Actor;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import dev.hapax.testkit.janitor.InMemoryJanitorReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.lifecycle.InMemoryLifecycleReads;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LifecycleFolderTest {
  private static final Workspace SHOP = new Workspace("shop");

  private final SettableClock clock = new SettableClock(Instant.parse("2030-01-01T00:00:00Z"));
  private final InMemoryLedger ledger = new InMemoryLedger(clock);
  private final InMemoryEntityReads entities = new InMemoryEntityReads(ledger, clock);
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final Random random = new Random(1);
  private final InMemoryJanitorReads contracts = new InMemoryJanitorReads(ledger, clock);
  private final Janitors janitors =
      new Janitors(
          ledger,
          entities,
          contracts,
          new RunServices(
                  ledger,
                  new InMemoryRunReads(ledger, clock),
                  new WaiterQuota(),
                  clock,
                  random::nextLong,
                  timer)
              .runs(),
          new WaiterQuota(),
          clock,
          random::nextLong,
          timer);

  private final Lifecycles lifecycles =
      new Lifecycles(
          ledger,
          new InMemoryLifecycleReads(ledger),
          contracts,
          entities,
          janitors,
          random::nextLong);

  @TempDir private Path folder = Path.of("");
  private Samples files = new Samples(folder);

  @BeforeEach
  void inThisFolder() {
    files = new Samples(folder);
  }

  private int apply() throws Exception {
    return LifecycleFolder.read(folder).apply(lifecycles);
  }

  private Optional<AppliedLifecycle> applied(Workspace workspace) {
    return lifecycles.find(new LifecycleId(workspace, "billing")).join();
  }

  @Test
  @DisplayName("files lie in the folder for workspace default, and in NAME for workspace NAME")
  void workspaces() throws Exception {
    files.write("billing.json", Samples.BILLING);
    files.write("janitor.json", Samples.JANITOR);
    files.write("shop/billing.json", Samples.BILLING);
    files.write("shop/janitor.json", Samples.JANITOR);
    files.write("shop/deeper/billing.json", "not read");
    files.write(".hidden.json", "not read");
    files.write("notes.txt", "not read");

    assertThat(LifecycleFolder.read(folder).size()).isEqualTo(4);
    assertThat(apply()).isEqualTo(4);
    assertThat(applied(Workspace.DEFAULT)).isPresent();
    assertThat(applied(SHOP)).isPresent();
    assertThat(apply()).isZero();
    assertThat(applied(SHOP).orElseThrow().version()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(Broken.class)
  @DisplayName("each rule: the folder is refused, naming file, lifecycle, step and rule [C4]")
  void rules(Broken broken) throws Exception {
    var file = files.write("billing.json", broken.text());

    assertThatThrownBy(() -> LifecycleFolder.read(folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining(
            "%s: lifecycle \"billing\", step \"%s\": ".formatted(file, broken.step()))
        .hasMessageContaining(
            String.format(Locale.ROOT, "(%s; line %d", broken.rule(), broken.line()));
  }

  @Test
  @DisplayName("given several invalid files, then one message lists all problems")
  void problems() throws Exception {
    var first = files.write("1.json", Broken.NO_OP.text());
    var second = files.write("shop/2.json", "{");
    var third = files.write("shop/3.json", "{\"janitor\": \"x\"}");
    var nowhere = files.write("No Workspace/billing.json", Samples.BILLING);
    files.write("twice/1.json", Samples.BILLING);
    var again = files.write("twice/2.json", Samples.BILLING);

    assertThatThrownBy(() -> LifecycleFolder.read(folder))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the configuration has 5 problems")
        .hasMessageContaining(first + ": lifecycle \"billing\", step \"close\": it claims into")
        .hasMessageContaining(second + ": the file: is not JSON at line 1")
        .hasMessageContaining(third + ": janitor x: \"claim_states\" is missing")
        .hasMessageContaining(nowhere + ": the workspace \"No Workspace\" must match")
        .hasMessageContaining(again + ": lifecycle \"billing\": is also in");
  }

  @Test
  @DisplayName(
      "a claim state without a janitor: refused, naming lifecycle, state and module " + "[C5]")
  void uncovered() throws Exception {
    files.write("billing.json", Samples.BILLING);
    files.write("shop/billing.json", Samples.BILLING);
    files.write("shop/janitor.json", Samples.JANITOR);

    assertThatThrownBy(this::apply)
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "workspace \"default\", lifecycle \"billing\": nothing frees claim state \"closing\"; the"
                + " janitor of module \"billing\" is missing or does not cover it");
    assertThat(applied(Workspace.DEFAULT)).isEmpty();
    assertThat(applied(SHOP)).as("a workspace of its own").isPresent();

    files.write("janitor.json", Samples.JANITOR);
    assertThat(apply()).isEqualTo(2);
  }

  @Test
  @DisplayName("a claim state may get another name, together with its contract")
  void renamed() throws Exception {
    files.write("billing.json", Samples.BILLING);
    files.write("janitor.json", Samples.JANITOR);
    assertThat(apply()).isEqualTo(2);

    files.write("billing.json", Samples.BILLING.replace("\"closing\"", "\"being closed\""));
    files.write("janitor.json", Samples.JANITOR.replace("closing", "being closed"));

    assertThat(apply()).isEqualTo(2);
    assertThat(applied(Workspace.DEFAULT).orElseThrow().version()).isEqualTo(2);
    assertThat(janitors.list(Workspace.DEFAULT, 10, Optional.empty()).join().items())
        .singleElement()
        .satisfies(
            watched ->
                assertThat(watched.janitor().contract().orElseThrow().claimStates())
                    .containsExactly("being closed"));
    assertThat(apply()).isZero();
  }

  @Test
  @DisplayName("given a contract that leaves a claim state uncovered, then it is rejected")
  void relied() throws Exception {
    var lifecycle = files.write("billing.json", Samples.BILLING);
    files.write("janitor.json", Samples.JANITOR);
    assertThat(apply()).isEqualTo(2);

    Files.delete(lifecycle);
    files.write("janitor.json", Samples.JANITOR.replace("closing", "paying"));

    assertThatThrownBy(this::apply)
        .hasMessage(
            "workspace \"default\", lifecycle \"billing\": nothing frees claim state \"closing\"; the"
                + " janitor of module \"billing\" is missing or does not cover it");
  }

  @Test
  @DisplayName("given a change that would strand an entity, then the error names it")
  void stranded() throws Exception {
    files.write("billing.json", Samples.BILLING);
    files.write("janitor.json", Samples.JANITOR);
    assertThat(apply()).isEqualTo(2);
    var invoice = new EntityId(Workspace.DEFAULT, "billing", "invoice-17");
    var _ = ledger.submit(new CreateEntity(invoice, "approved", "", Actor.caller("ann"))).join();

    files.write("billing.json", Samples.BILLING.replace("\"approved\"", "\"agreed\""));

    assertThatThrownBy(this::apply)
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "workspace \"default\", lifecycle \"billing\" is in use: entity \"invoice-17\" is"
                + " \"approved\", and the change would remove approved. Move the entities to other"
                + " statuses first, or keep these statuses");
    assertThat(applied(Workspace.DEFAULT).orElseThrow().version()).isEqualTo(1);
  }

  @Test
  @DisplayName("of many that are in the way twenty are named, and that there are more")
  void manyStranded() throws Exception {
    files.write("billing.json", Samples.BILLING);
    files.write("janitor.json", Samples.JANITOR);
    assertThat(apply()).isEqualTo(2);
    for (var i = 0; i < 25; i++) {
      var invoice = new EntityId(Workspace.DEFAULT, "billing", "invoice-" + i);
      var _ = ledger.submit(new CreateEntity(invoice, "approved", "", Actor.caller("ann"))).join();
    }
    files.write("billing.json", Samples.BILLING.replace("\"approved\"", "\"agreed\""));

    assertThatThrownBy(this::apply)
        .isInstanceOf(ConfigurationException.class)
        .message()
        .contains("; and at least 20 more. Move the entities")
        .hasLineCount(21);
  }

  @Test
  @DisplayName("given stored and new lifecycles, then they are checked together [C5]")
  void storedWithFolder() throws Exception {
    var paying = Samples.BILLING.replace("\"closing\"", "\"paying\"");
    files.write("billing.json", Samples.BILLING);
    files.write("janitor.json", Samples.JANITOR);
    assertThat(apply()).isEqualTo(2);
    // fine in itself; but another one of the module is in the database, and not in the folder
    var other = files.write("other.json", Samples.BILLING.replace("\"billing\",", "\"other\","));
    Files.writeString(
        other, Files.readString(other).replace("\"module\": \"other\"", "\"module\": \"billing\""));
    assertThat(apply()).isEqualTo(1);
    Files.delete(other);
    files.write("billing.json", paying);
    files.write("janitor.json", Samples.JANITOR.replace("closing", "paying"));

    assertThatThrownBy(this::apply)
        .hasMessageStartingWith(
            "workspace \"default\", lifecycle \"other\": nothing frees claim state \"closing\"");
    assertThat(applied(Workspace.DEFAULT).orElseThrow().version()).isEqualTo(1);
  }

  /** What no command of ours would leave behind. */
  private record Demanded(JanitorId id) implements Command<Boolean> {
    @Override
    public Workspace workspace() {
      return id.workspace();
    }

    @Override
    public Collection<JanitorId> keys() {
      return List.of(id);
    }

    @Override
    public Urgency urgency() {
      return Urgency.START;
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public Boolean decide(BatchRecords records, Instant now) {
      records.put(
          id,
          Janitor.NONE.withRequired(new RequiredClaimStates("old", id.module(), Set.of("paying"))));
      return true;
    }
  }

  @Test
  @DisplayName(
      "given an uncovered claim state in the database, then the start fails also "
          + "without a folder [C5]")
  void storedUncovered() throws Exception {
    LifecycleFolder.requireCovered(janitors);
    var _ = ledger.submit(new Demanded(new JanitorId(SHOP, "payments"))).join();

    assertThatThrownBy(() -> LifecycleFolder.requireCovered(janitors))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "workspace \"shop\", lifecycle \"old\": nothing frees claim state \"paying\"; the"
                + " janitor of module \"payments\" is missing or does not cover it");
  }
}
