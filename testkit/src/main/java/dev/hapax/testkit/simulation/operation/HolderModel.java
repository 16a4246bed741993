package dev.hapax.testkit.simulation.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.operation.BeginOperation;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation.State;
import dev.hapax.domain.operation.OperationClaim;
import dev.hapax.domain.operation.Replay;
import java.time.Instant;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The model of a key's last grant and its state. */
final class HolderModel {
  private final BeginOperation begun;
  private final String firstAccount;
  private final int attempt;

  /** The accounts that may get the result. */
  private final Set<String> informed = new HashSet<>();

  private final Fence granted;
  private OperationClaim claim;
  private State state = State.IN_PROGRESS;
  private Instant since;
  private Instant leaseUntil;
  private Instant expiresAt;
  private Optional<Replay> answer = Optional.empty();
  private boolean held;

  /** In doubt because the lease expired, not because the holder reported it. */
  private boolean lapsed;

  /**
   * Creates a grant to {@code begun}; {@code before} = the key's last grant, unless it has expired.
   */
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

  /** The fence before an operator's resolution. */
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

  /** Whether the holder may still end it: in progress or in doubt. */
  boolean isOpen() {
    return state == State.IN_PROGRESS || state == State.INDETERMINATE;
  }

  /** The failed state, if it failed. */
  Optional<State> failure() {
    return switch (state) {
      case RELEASED, REJECTED -> Optional.of(state);
      case INDETERMINATE -> lapsed ? Optional.empty() : Optional.of(state);
      case IN_PROGRESS, COMPLETED -> Optional.empty();
    };
  }

  /** Whether its holder ended it this way; an expired lease does not count. */
  boolean hasEndedAs(State aim) {
    return state == aim && !lapsed;
  }

  boolean isLive(Instant now) {
    return state == State.IN_PROGRESS && now.isBefore(leaseUntil);
  }

  boolean isForgotten(Instant now) {
    return !isOpen() && !now.isBefore(expiresAt);
  }

  boolean isOf(BeginOperation command) {
    return state == State.IN_PROGRESS && begun.attemptId().equals(command.attemptId());
  }

  boolean isAnotherRequest(BeginOperation command) {
    return !begun.fingerprint().equals(command.fingerprint());
  }

  /** Whether this account must not get the result. */
  boolean isForeign(BeginOperation command) {
    return command.key().accountChanging()
        && answer.isPresent()
        && !informed.contains(command.key().account());
  }

  boolean holds(BeginOperation command) {
    return held || command.onStale() == OnStale.HOLD;
  }

  /** Whether its holder may renew the lease. */
  boolean isRenewable() {
    return state == State.IN_PROGRESS || lapsed;
  }

  /** Puts it in doubt, because the lease expired. */
  void lapse(Instant now) {
    become(State.INDETERMINATE, Optional.empty(), now);
    lapsed = true;
  }

  /** Renews the lease; a lapsed operation is held by its holder again. */
  Instant renew(Instant until) {
    if (lapsed) {
      lapsed = false;
      held = true;
      state = State.IN_PROGRESS;
      leaseUntil = until;
    }
    return lease(until);
  }

  /** Since when no lease is live; empty = a lease is live. */
  Optional<Instant> freeSince(Instant now) {
    if (isLive(now)) {
      return Optional.empty();
    }
    return Optional.of(state == State.IN_PROGRESS ? leaseUntil : since);
  }

  /** Extends the lease, but never shortens it. */
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

  /** Passes the claim to an operator; the time to live begins again. */
  void resolve(OperationClaim operators, Instant now) {
    claim = operators;
    expiresAt = now.plus(begun.ttl());
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%s by %s, attempt %d", state, OperationWords.claim(claim), attempt);
  }
}
