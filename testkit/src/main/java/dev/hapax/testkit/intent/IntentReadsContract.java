package dev.hapax.testkit.intent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.IntentReads.Found;
import dev.hapax.domain.intent.IntentReads.InboxPage;
import dev.hapax.domain.intent.IntentReads.InboxPosition;
import dev.hapax.domain.intent.IntentReads.Query;
import dev.hapax.domain.intent.IntentReads.State;
import dev.hapax.domain.intent.IntentRequest;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.run.RunId;
import dev.hapax.testkit.read.ReadsContract;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every implementation of {@link IntentReads} finds. */
public abstract class IntentReadsContract extends ReadsContract {
  private static final int MANY = 500;

  /** The run that all intents cancel. */
  protected final RunId run = new RunId(workspace, new UUID(0x0123456789AB7000L, Long.MIN_VALUE));

  /** Of what {@link #ledger} keeps, and of what transactions post. */
  protected abstract IntentReads intents();

  protected abstract Transaction begin();

  /** A transaction of an application. */
  public interface Transaction {
    /** Posts the cancellation of {@link #run}. */
    IntentId post();

    void commit();

    void rollBack();
  }

  private IntentId posted() {
    var transaction = begin();
    var id = transaction.post();
    transaction.commit();
    return id;
  }

  private InboxPage scan(InboxPosition position) {
    return await(intents().scan(position, MANY));
  }

  /** Other tests have workspaces of their own. */
  private List<IntentId> ids(InboxPage page) {
    return page.intents().stream()
        .map(PostedIntent::id)
        .filter(id -> id.workspace().equals(workspace))
        .toList();
  }

  private Intent.Taken take(IntentId id, IntentOutcome outcome) {
    var found = await(intents().find(id)).orElseThrow();
    var taken = new Intent.Taken(found.intent().origin(), 0, outcome, now);
    this.<Intent>write(id, taken);
    return taken;
  }

  private Intent.Taken fail(IntentId id) {
    return take(
        id, new IntentOutcome.Failed(IntentError.RUN_NOT_FOUND, Optional.of(run), "no such run"));
  }

  @Test
  @DisplayName("given a transaction, then its intent is found from its commit on")
  void committed() {
    var transaction = begin();
    var id = transaction.post();
    assertThat(await(intents().find(id))).isEmpty();
    assertThat(await(intents().posted(id))).isEmpty();
    assertThat(ids(scan(InboxPosition.in(workspace)))).isEmpty();
    transaction.commit();
    assertThat(await(intents().find(id)).map(Found::intent))
        .containsInstanceOf(Intent.Posted.class);
    assertThat(await(intents().posted(id)).map(PostedIntent::request))
        .contains(new IntentRequest.Cancel(run, "enough"));
    assertThat(ids(scan(InboxPosition.in(workspace)))).containsExactly(id);
    assertThat(await(intents().find(new IntentId(elsewhere, id.uuid())))).isEmpty();

    var undone = begin();
    var never = undone.post();
    undone.rollBack();
    assertThat(await(intents().find(never))).isEmpty();
  }

  @Test
  @DisplayName(
      "given the snapshot of a scan, then the next scan has what it did not show, however old")
  void sinceSnapshot() {
    var old = begin();
    var late = old.post();
    var before = posted();
    var first = scan(InboxPosition.in(workspace));
    assertThat(ids(first)).containsExactly(before);
    var after = posted();
    old.commit();
    var second = scan(InboxPosition.since(first.snapshot()));
    assertThat(ids(second)).containsExactly(late, after);
    assertThat(ids(scan(InboxPosition.since(second.snapshot())))).isEmpty();
  }

  @Test
  @DisplayName(
      "given posted intents, then their workspaces are found, and those with intents since a snapshot")
  void workspaces() {
    assertThat(await(intents().workspaces(Optional.empty())).workspaces())
        .doesNotContain(workspace);
    var _ = posted();
    var all = await(intents().workspaces(Optional.empty()));
    assertThat(all.workspaces()).contains(workspace).doesNotContain(elsewhere);
    assertThat(all.isUsed()).isTrue();
    var since = Optional.of(all.snapshot());
    assertThat(await(intents().workspaces(since)).workspaces()).doesNotContain(workspace);
    var _ = posted();
    assertThat(await(intents().workspaces(since)).workspaces()).contains(workspace);
  }

  @Test
  @DisplayName("given pages, then they are in the order of numbers, and show what the first shows")
  void pages() {
    var posted = Stream.generate(this::posted).limit(5).toList();
    var found = new ArrayList<IntentId>();
    var position = InboxPosition.in(workspace);
    InboxPage page;
    do {
      page = await(intents().scan(position, 2));
      found.addAll(ids(page));
      if (!page.isLast()) {
        position = page.next(position);
        var _ = posted();
      }
    } while (!page.isLast());
    assertThat(found).isEqualTo(posted);
  }

  @Test
  @DisplayName("given an intent that was taken, then it is found with its outcome, and not posted")
  void taken() {
    var id = posted();
    var other = posted();
    assertThat(await(intents().taken(Set.of(id, other)))).isEmpty();
    var taken = take(id, new IntentOutcome.Cancelled(run));
    assertThat(await(intents().find(id))).contains(new Found(id, taken));
    assertThat(await(intents().posted(id))).isEmpty();
    assertThat(await(intents().taken(Set.of(id, other)))).containsExactly(id);
    assertThat(ids(scan(InboxPosition.in(workspace)))).containsExactly(other);
  }

  private List<IntentId> list(State state, int size) {
    List<Found> listed =
        pages(
            size,
            (Optional<UUID> after) -> intents().list(new Query(workspace, state, size, after)));
    return listed.stream().map(Found::id).toList();
  }

  @Test
  @DisplayName(
      "given lists of any page size, then posted ones are oldest first, failed ones newest")
  void lists() {
    var posted = Stream.generate(this::posted).limit(8).sorted(IntentReadsContract::byId).toList();
    take(posted.get(6), new IntentOutcome.Cancelled(run));
    for (var i = 3; i < 6; i++) {
      fail(posted.get(i));
    }
    for (var size = 1; size <= 5; size++) {
      assertThat(list(State.POSTED, size))
          .containsExactly(posted.get(0), posted.get(1), posted.get(2), posted.get(7));
      assertThat(list(State.FAILED, size))
          .containsExactly(posted.get(5), posted.get(4), posted.get(3));
    }
  }

  /** As the database sorts them. */
  private static int byId(IntentId one, IntentId other) {
    return one.uuid().toString().compareTo(other.uuid().toString());
  }
}
