package dev.hapax.application.intent;

import dev.hapax.domain.Page;
import dev.hapax.domain.intent.Intent;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.intent.PostedIntent;
import dev.hapax.domain.ledger.LedgerException;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.read.WriteRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An inbox with transactions and snapshots as PostgreSQL has them: {@code xmin:xmax:open,open}. */
final class SimulatedInbox implements IntentReads {
  private final InMemoryLedger ledger;
  private final SettableClock clock;
  private final List<Row> committed = new ArrayList<>();
  private final Set<Long> open = new LinkedHashSet<>();
  private long nextTransaction = 1;
  private int pageSize = Integer.MAX_VALUE;
  private boolean isBroken;

  private record Row(long transaction, PostedIntent intent) {}

  SimulatedInbox(InMemoryLedger ledger, SettableClock clock) {
    this.ledger = ledger;
    this.clock = clock;
  }

  /** A transaction that posts intents. */
  final class Transaction {
    private final long number = nextTransaction++;
    private final List<PostedIntent> posted = new ArrayList<>();

    private Transaction() {
      open.add(number);
    }

    void post(PostedIntent intent) {
      posted.add(intent);
    }

    List<PostedIntent> commit() {
      open.remove(number);
      posted.forEach(
          intent -> {
            committed.add(new Row(number, intent));
            ledger.submit(new WriteRecord<>(intent.id(), (Intent) intent.posted())).join();
          });
      return posted;
    }

    void rollBack() {
      open.remove(number);
    }
  }

  Transaction begin() {
    return new Transaction();
  }

  /** Limits the pages of scans. */
  void pages(int size) {
    pageSize = size;
  }

  void breaks(boolean now) {
    isBroken = now;
  }

  @Override
  public CompletableFuture<InboxPage> scan(InboxPosition position, int atMost) {
    if (isBroken) {
      return CompletableFuture.failedFuture(new LedgerException.Unavailable("no database"));
    }
    var size = Math.min(atMost, pageSize);
    var records = ledger.records();
    committed.removeIf(row -> records.get(row.intent().id()) instanceof Intent.Taken);
    var found =
        committed.stream()
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
    return "%d:%s"
        .formatted(
            nextTransaction, open.stream().map(String::valueOf).collect(Collectors.joining(",")));
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
    return CompletableFuture.completedFuture(new Page<>(List.of(), Optional.empty()));
  }
}
