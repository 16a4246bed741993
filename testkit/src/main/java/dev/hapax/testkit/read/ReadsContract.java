package dev.hapax.testkit.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Page;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.ledger.RecordKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;

/** A contract of reads: each test writes records into a workspace of its own and reads them. */
public abstract class ReadsContract {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  protected final Workspace workspace = new Workspace("reads-" + NUMBER.incrementAndGet());
  protected final Workspace elsewhere = new Workspace("elsewhere-" + NUMBER.incrementAndGet());

  /** The time by the clock of the reads, as precise as it is stored. */
  protected final Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);

  /** Keeps what the reads find. */
  protected abstract Ledger ledger();

  protected final <R> void write(RecordKey<R> key, R record) {
    await(ledger().submit(new WriteRecord<>(key, record)));
  }

  /** Writes them all at once. */
  protected final void writeAll(Stream<? extends WriteRecord<?>> records) {
    records.map(ledger()::submit).toList().forEach(ReadsContract::await);
  }

  protected static <T> T await(CompletableFuture<T> future) {
    return future.orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** Returns the items of all pages, none of which has more than {@code size}. */
  protected static <T, C> List<T> pages(
      int size, Function<Optional<C>, CompletableFuture<Page<T, C>>> list) {
    var all = new ArrayList<T>();
    var after = Optional.<C>empty();
    do {
      var page = await(list.apply(after));
      assertThat(page.items()).hasSizeLessThanOrEqualTo(size);
      all.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    return all;
  }
}
