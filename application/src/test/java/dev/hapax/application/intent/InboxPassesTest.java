package dev.hapax.application.intent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.waiting.FailureLog;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.run.RunId;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.intent.SimulatedInbox;
import dev.hapax.testkit.ledger.InMemoryLedger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class InboxPassesTest {
  private static final Workspace EU = new Workspace("eu");
  private static final Workspace US = new Workspace("us");

  private final SettableClock clock = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(clock);
  private final SimulatedInbox inbox = new SimulatedInbox(new InMemoryLedger(clock), clock);
  private final IntentLanes lanes = new IntentLanes();
  private final List<PostedIntent> found = new ArrayList<>();
  private final InboxPasses passes =
      new InboxPasses(
          inbox,
          lanes,
          page -> found.addAll(page.intents()),
          new FailureLog(InboxPassesTest.class, "test"),
          clock,
          timer);
  private int number;

  private PostedIntent post(Workspace workspace, int size) {
    number++;
    var transaction = inbox.begin();
    var origin = new IntentOrigin(IntentVerb.CANCEL_RUN, "shop", clock.instant());
    var run = new RunId(workspace, new UUID(1, number));
    transaction.post(
        new PostedIntent(
            new IntentId(workspace, new UUID(7, number)),
            number,
            new Intent.Posted(origin, 0, Optional.empty()),
            new IntentRequest.Cancel(run, ""),
            size));
    return transaction.commit().getFirst();
  }

  private void post(Workspace workspace, int size, int times) {
    for (var i = 0; i < times; i++) {
      var _ = post(workspace, size);
    }
  }

  private List<String> order() {
    return found.stream().map(intent -> intent.id().workspace().name()).toList();
  }

  @Test
  @DisplayName("given two workspaces, then they take turns, a page each [security-S1]")
  void turns() {
    post(EU, 1, 4);
    post(US, 1, 2);
    inbox.pages(1);
    passes.request(EU);
    passes.request(US);
    timer.runDue();
    assertThat(order()).containsExactly("eu", "us", "eu", "us", "eu", "eu");
  }

  @Test
  @DisplayName("given a workspace that has its share, then another one is read [security-S1]")
  void share() {
    var large = post(EU, IntentLanes.MAX_BYTES / 2);
    post(EU, 1, 2);
    post(US, 1, 2);
    assertThat(lanes.add(large)).isTrue();
    passes.request(EU);
    passes.request(US);
    timer.runDue();
    assertThat(order()).containsExactly("us", "us");

    var _ = lanes.taken(large);
    passes.read();
    timer.runDue();
    assertThat(order()).containsExactly("us", "us", "eu", "eu", "eu");
  }

  @Test
  @DisplayName("given a pass, then new intents of its workspace are left to another pass")
  void covered() {
    post(EU, 1, 2);
    inbox.pages(1);
    passes.request(EU);
    var added = new ArrayList<Workspace>();
    passes.addNew(EU, () -> added.add(EU));
    passes.addNew(US, () -> added.add(US));
    assertThat(added).containsExactly(US);
    timer.runDue();
    assertThat(order()).containsExactly("eu", "eu", "eu", "eu");
    passes.addNew(EU, () -> added.add(EU));
    assertThat(added).containsExactly(US, EU);
  }

  @Test
  @DisplayName("given two times for a pass, then the earlier one begins it")
  void planned() {
    var _ = post(EU, 1);
    passes.request(EU, clock.instant().plusSeconds(5));
    passes.request(EU, clock.instant().plusSeconds(2));
    passes.request(EU, clock.instant().plusSeconds(9));
    timer.advance(Duration.ofSeconds(2));
    assertThat(found).hasSize(1);
    inbox.breaks(true);
    timer.advance(Duration.ofSeconds(4));
    inbox.breaks(false);
    timer.advance(Duration.ofSeconds(2));
    assertThat(found).hasSizeGreaterThan(1);
  }
}
