package dev.hapax.postgres.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.ledger.LedgerException;
import java.util.concurrent.CompletableFuture;

/** Reads that are refused because too many wait. */
final class OverloadedReads {
  private OverloadedReads() {}

  /** Asserts that this limit has refused the read. */
  static void assertOverloaded(CompletableFuture<?> read, String limit) {
    assertThat(read).isCompletedExceptionally();
    assertThat(read.exceptionNow())
        .isInstanceOfSatisfying(
            LedgerException.Overloaded.class,
            overloaded -> assertThat(overloaded.limit()).isEqualTo(limit));
  }
}
