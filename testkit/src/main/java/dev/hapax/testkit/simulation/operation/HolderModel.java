package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation.State;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.Replay;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The last grant of a key, and what became of it. */
final class HolderModel {
  private final BeginOperation begun;
  private final String firstAccount;
  private final int attempt;

  /** Whom the answer may be told. */
  private final Set<String> informed = new HashSet<>();

  private final Fence granted;
  private OperationClaim claim;
  private State state = State.IN_PROGRESS;
  private Instant since;
  private Instant leaseUntil;
  private Instant expiresAt;
  private Optional<Replay> answer = Optional.empty();
  private boolean held;

  /** In doubt because its lease expired, and not because its holder said so. */
  private boolean lapsed;

  /** A grant to {@code begun}; {@code before} = the key's last one, unless that is forgotten. */
  HolderModel(
      BeginOperation begun, OperationClaim claim, Optional<HolderModel> before, Instant now) {
    this.begun = begun;
    this.claim = claim;
    this.granted = claim.fence();
    this.firstAccount = before.map(last -> last.firstAccount).orElse(begun.key().account());
    this.attempt = before.map(last -> last.attempt).orElse(0) + 1;
    this.held = begun.onStale() == OnStale.HOLD;
    this.since = now;
    this.leaseUntil = now.plus(begun.lease());
    this.expiresAt = now.plus(begun.ttl());
    informed.add(firstAccount);
    informed.add(begun.key().account());
  }

  OperationClaim claim() {
    return claim;
  }

  /** Its fence before an operator resolved it. */
  Fence granted() {
    return granted;
  }

  int attempt() {
    return attempt;
  }

  State state() {
    return state;
  }

  Optional<Replay> answer() {
    return answer;
  }

  /** In progress or in doubt: its holder may still end it. */
  boolean isOpen() {
    return state == State.IN_PROGRESS || state == State.INDETERMINATE;
  }

  /** How it failed, if it did. */
  Optional<State> failure() {
    return switch (state) {
      case RELEASED, REJECTED -> Optional.of(state);
      case INDETERMINATE -> lapsed ? Optional.empty() : Optional.of(state);
      case IN_PROGRESS, COMPLETED -> Optional.empty();
    };
  }

  /** What lapsed has not ended as in doubt: its holder may still say so. */
  boolean hasEndedAs(State aim) {
    return state == aim && !lapsed;
  }

  boolean isLive(Instant now) {
    return state == State.IN_PROGRESS && now.isBefore(leaseUntil);
  }

  boolean isForgotten(Instant now) {
    return !isOpen() && !now.isBefore(expiresAt);
  }

  boolean isOf(BeginOperation asked) {
    return state == State.IN_PROGRESS && begun.attemptId().equals(asked.attemptId());
  }

  boolean isAnotherRequest(BeginOperation asked) {
    return !begun.fingerprint().equals(asked.fingerprint());
  }

  /** Whether this account must not learn the answer. */
  boolean isForeign(BeginOperation asked) {
    return asked.key().accountChanging()
        && answer.isPresent()
        && !informed.contains(asked.key().account());
  }

  boolean holds(BeginOperation asked) {
    return held || asked.onStale() == OnStale.HOLD;
  }

  /** Its holder may keep it by renewing. */
  boolean isRenewable() {
    return state == State.IN_PROGRESS || lapsed;
  }

  /** In doubt from now on, since its holder is late. */
  void lapse(Instant now) {
    become(State.INDETERMINATE, Optional.empty(), now);
    lapsed = true;
  }

  /** The lease as it is then; what had lapsed is held by its holder again, and by none else. */
  Instant renew(Instant until) {
    if (lapsed) {
      lapsed = false;
      held = true;
      state = State.IN_PROGRESS;
      leaseUntil = until;
    }
    return lease(until);
  }

  /** Since when nobody is at work on it; empty = somebody is. */
  Optional<Instant> freeSince(Instant now) {
    if (isLive(now)) {
      return Optional.empty();
    }
    return Optional.of(state == State.IN_PROGRESS ? leaseUntil : since);
  }

  /** The lease as it is then. */
  Instant lease(Instant until) {
    leaseUntil = until.isAfter(leaseUntil) ? until : leaseUntil;
    return leaseUntil;
  }

  void become(State next, Optional<Replay> replay, Instant now) {
    state = next;
    lapsed = false;
    answer = replay;
    since = now;
  }

  void inform(String account) {
    informed.add(account);
  }

  /** An operator has the claim from now on, and the time to live begins anew. */
  void resolve(OperationClaim operators, Instant now) {
    claim = operators;
    expiresAt = now.plus(begun.ttl());
  }

  @Override
  public String toString() {
    return "%s by %s, attempt %d".formatted(state, OperationWords.claim(claim), attempt);
  }
}
