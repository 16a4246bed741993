package dev.hapax.postgres.ledger;

import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.BatchRecords;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.BeginOutcome;
import dev.hapax.domain.operation.CompleteOperation;
import dev.hapax.domain.operation.FailOperation;
import dev.hapax.domain.operation.FailOperation.Verdict;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.operation.OnReleasedMismatch;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Commands on operations as a server would make them. */
final class Operations {
  private static final KeyedIds IDENTITIES = new KeyedIds(new byte[32]);
  private static final AtomicLong NONCES = new AtomicLong();
  static final Duration TTL = Duration.ofHours(1);

  private Operations() {}

  /** A command whose key is looked for, since it is not said to be most likely new. */
  record Sought(BeginOperation begin) implements Command<BeginOutcome> {
    @Override
    public Workspace workspace() {
      return begin.workspace();
    }

    @Override
    public Collection<OperationId> keys() {
      return begin.keys();
    }

    @Override
    public Urgency urgency() {
      return begin.urgency();
    }

    @Override
    public int size() {
      return begin.size();
    }

    @Override
    public BeginOutcome decide(BatchRecords records, Instant now) {
      return begin.decide(records, now);
    }
  }

  /** A caller that has begun nothing before. */
  static BeginOperation begin(String requestId) {
    return begin(requestId, TTL);
  }

  static BeginOperation begin(String requestId, Duration ttl) {
    var key = new OperationKey(TestLedgers.WORKSPACE, "account", "operation", requestId, false);
    var nonce = NONCES.incrementAndGet();
    return new BeginOperation(
        IDENTITIES.of(key),
        key,
        Fingerprint.of("same".getBytes(StandardCharsets.UTF_8)),
        AttemptId.of("attempt-" + nonce),
        nonce,
        Duration.ofMinutes(1),
        ttl,
        OnStale.TAKE_OVER,
        OnReleasedMismatch.KEY_REUSED);
  }

  static CompleteOperation complete(OperationClaim claim, byte[] result) {
    return new CompleteOperation(claim, Optional.of(new Payload.Binary(result)), Optional.empty());
  }

  static FailOperation release(OperationClaim claim) {
    return new FailOperation(claim, new Verdict.Retryable(Optional.empty()));
  }
}
