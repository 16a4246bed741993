package dev.hapax.testkit.intent;

import dev.hapax.domain.Page;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.read.WriteRecord;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An inbox with transactions and snapshots as PostgreSQL has them: {@code xmin:xmax:open,open}. */
public final class SimulatedInbox implements IntentReads {
  private final InMemoryLedger ledger;
  private final InstantSource clock;
  private final List<Row> committed = new ArrayList<>();
  private final Set<Long> open = new LinkedHashSet<>();
  private long nextTransaction = 1;
  private int pageSize = Integer.MAX_VALUE;
  private boolean isBroken;

  private record Row(long transaction, PostedIntent intent) {}

  public SimulatedInbox(InMemoryLedger ledger, InstantSource clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  /** A transaction that posts intents. */
  public final class Transaction {
    private final long number = nextTransaction++;
    private final List<PostedIntent> posted = new ArrayList<>();

    private Transaction() {
      open.add(number);
    }

    public void post(PostedIntent intent) {
      posted.add(intent);
    }

    public List<PostedIntent> commit() {
      open.remove(number);
      posted.forEach(
          intent -> {
            committed.add(new Row(number, intent));
            ledger.submit(new WriteRecord<>(intent.id(), (Intent) intent.posted())).join();
          });
      return posted;
    }

    public void rollBack() {
      open.remove(number);
    }
  }

  public Transaction begin() {
    return new Transaction();
  }

  /** Limits the pages of scans. */
  public void pages(int size) {
    pageSize = size;
  }

  public void breaks(boolean now) {
    isBroken = now;
  }

  @Override
  public CompletableFuture<InboxWorkspaces> workspaces(Optional<String> since) {
    var all = new InboxPosition(Optional.empty(), since, Optional.empty(), Long.MIN_VALUE);
    return page(all, Integer.MAX_VALUE)
        .thenApply(
            page ->
                new InboxWorkspaces(
                    page.intents().stream()
                        .map(intent -> intent.id().workspace())
                        .collect(Collectors.toSet()),
                    page.snapshot(),
                    page.isUsed()));
  }

  @Override
  public CompletableFuture<InboxPage> scan(InboxPosition position, int atMost) {
    return page(position, Math.min(atMost, pageSize));
  }

  private CompletableFuture<InboxPage> page(InboxPosition position, int size) {
    if (isBroken) {
      return CompletableFuture.failedFuture(new LedgerException.Unavailable("no database"));
    }
    var records = ledger.records();
    committed.removeIf(row -> records.get(row.intent().id()) instanceof Intent.Taken);
    var found =
        committed.stream()
            .filter(row -> position.in().stream().allMatch(row.intent().id().workspace()::equals))
            .filter(row -> position.since().filter(shown -> shows(shown, row)).isEmpty())
            .filter(row -> position.as().isEmpty() || shows(position.as().get(), row))
            .filter(row -> row.intent().number() > position.after())
            .flatMap(row -> posted(records, row.intent()))
            .sorted(Comparator.comparingLong(PostedIntent::number))
            .toList();
    var page = found.subList(0, Math.min(size, found.size()));
    return CompletableFuture.completedFuture(
        new InboxPage(page, snapshot(), clock.instant(), found.size() < size, true));
  }

  private static Stream<PostedIntent> posted(
      Map<RecordKey<?>, Object> records, PostedIntent intent) {
    return records.get(intent.id()) instanceof Intent.Posted now
        ? Stream.of(
            new PostedIntent(intent.id(), intent.number(), now, intent.request(), intent.size()))
        : Stream.empty();
  }

  private String snapshot() {
    return String.format(
        Locale.ROOT,
        "%d:%s",
        nextTransaction,
        open.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  private static boolean shows(String snapshot, Row row) {
    var parts = snapshot.split(":", -1);
    return row.transaction() < Long.parseLong(parts[0])
        && !List.of(parts[1].split(",")).contains(String.valueOf(row.transaction()));
  }

  @Override
  public CompletableFuture<Optional<Found>> find(IntentId id) {
    return CompletableFuture.completedFuture(
        Optional.ofNullable((Intent) ledger.records().get(id))
            .map(intent -> new Found(id, intent)));
  }

  @Override
  public CompletableFuture<Optional<PostedIntent>> posted(IntentId id) {
    var records = ledger.records();
    return CompletableFuture.completedFuture(
        committed.stream()
            .map(Row::intent)
            .filter(intent -> intent.id().equals(id))
            .flatMap(intent -> posted(records, intent))
            .findFirst());
  }

  @Override
  public CompletableFuture<Set<IntentId>> taken(Set<IntentId> ids) {
    var records = ledger.records();
    return CompletableFuture.completedFuture(
        ids.stream()
            .filter(id -> records.get(id) instanceof Intent.Taken)
            .collect(Collectors.toSet()));
  }

  @Override
  public CompletableFuture<Page<Found, UUID>> list(Query query) {
    var oldestFirst = Comparator.comparing((Found found) -> found.id().uuid().toString());
    var found =
        ledger.records().entrySet().stream()
            .filter(record -> record.getValue() instanceof Intent)
            .map(record -> new Found((IntentId) record.getKey(), (Intent) record.getValue()))
            .filter(each -> each.id().workspace().equals(query.workspace()))
            .filter(each -> isIn(query.state(), each.intent()))
            .sorted(query.state() == State.POSTED ? oldestFirst : oldestFirst.reversed())
            .dropWhile(each -> !query.after().stream().allMatch(each.id().uuid()::equals))
            .skip(query.after().isPresent() ? 1 : 0)
            .toList();
    var page = found.subList(0, Math.min(query.size(), found.size()));
    return CompletableFuture.completedFuture(
        new Page<>(
            page,
            page.size() < found.size()
                ? Optional.of(page.getLast().id().uuid())
                : Optional.empty()));
  }

  private static boolean isIn(State state, Intent intent) {
    return switch (intent) {
      case Intent.Posted _ -> state == State.POSTED;
      case Intent.Taken taken ->
          state == State.FAILED && taken.outcome() instanceof IntentOutcome.Failed;
    };
  }
}
