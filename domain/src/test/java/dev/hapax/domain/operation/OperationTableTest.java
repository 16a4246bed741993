package dev.hapax.domain.operation;

import static dev.hapax.domain.operation.States.ATTEMPT;
import static dev.hapax.domain.operation.States.FAILURE;
import static dev.hapax.domain.operation.States.ID;
import static dev.hapax.domain.operation.States.MINE;
import static dev.hapax.domain.operation.States.NONCE;
import static dev.hapax.domain.operation.States.NOW;
import static dev.hapax.domain.operation.States.PRINT;
import static dev.hapax.domain.operation.States.RESULT;
import static dev.hapax.domain.operation.States.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Digest;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.Table;
import dev.hapax.domain.intent.IntentCommand;
import dev.hapax.domain.ledger.Batch;
import dev.hapax.domain.ledger.Command;
import dev.hapax.domain.ledger.PendingRecords;
import dev.hapax.domain.ledger.RecordKey;
import dev.hapax.domain.operation.ResolveOperation.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every state and every command, against tables written by hand from the design (5.1). Each cell is
 * tried with a fence that the clock has passed and with one that it has not.
 */
class OperationTableTest {
  private static final Duration LEASE = Duration.ofSeconds(60);
  private static final long NEW_NONCE = 99;
  private static final Payload POSTED_RESULT = new Payload.Json("\"posted\"");
  private static final Payload NEW_RESULT = new Payload.Binary(new byte[] {4, 2});
  private static final Failure NEW_FAILURE = new Failure("new", "", Optional.empty());
  private static final ResolveOperation.Request NEW_REQUEST =
      new ResolveOperation.Request("r2", new Attribution("oscar", "again", PrincipalName.NONE));

  /**
   * first = granted as if never begun; next = granted with the next attempt; reclaim = the same,
   * from an expired holder; reenter = the same claim with a renewed lease; hold = in doubt from now
   * on; busy, doubt, replay, reused, foreign = the outcome, nothing changed.
   */
  private static final String BEGIN =
      """
      state                              | mine    | other   | HOLD | mine, other print | other print
      absent                             | first   | "       | "    | "                 | "
      held, live                         | reenter | busy    | "    | reused            | "
      held, lease ends now               | reenter | reclaim | hold | reused            | "
      held, lease over                   | reenter | reclaim | hold | reused            | "
      held, live, ttl ends now           | reenter | busy    | "    | reused            | "
      held, live, past ttl               | reenter | busy    | "    | reused            | "
      held, lease over, past ttl         | reenter | reclaim | hold | reused            | "
      held by HOLD, live                 | reenter | busy    | "    | reused            | "
      held by HOLD, lease ends now       | reenter | hold    | "    | reused            | "
      held by HOLD, lease over           | reenter | hold    | "    | reused            | "
      held by HOLD, lease over, past ttl | reenter | hold    | "    | reused            | "
      in doubt                           | doubt   | "       | "    | reused            | "
      in doubt, ttl ends now             | doubt   | "       | "    | reused            | "
      in doubt, past ttl                 | doubt   | "       | "    | reused            | "
      lapsed                             | doubt   | "       | "    | reused            | "
      lapsed, past ttl                   | doubt   | "       | "    | reused            | "
      released                           | next    | "       | "    | reused            | "
      released, ttl ends now             | first   | "       | "    | "                 | "
      released, past ttl                 | first   | "       | "    | "                 | "
      completed                          | replay  | "       | "    | reused            | "
      completed, ttl ends now            | first   | "       | "    | "                 | "
      completed, past ttl                | first   | "       | "    | "                 | "
      rejected                           | replay  | "       | "    | reused            | "
      rejected, ttl ends now             | first   | "       | "    | "                 | "
      rejected, past ttl                 | first   | "       | "    | "                 | "
      """;

  /** By account, for an operation whose id does not include it; begun by ann. */
  private static final String BEGIN_ACCOUNT_CHANGING =
      """
      state                                | ann     | amy     | bob     | eve     | eve, other print
      held, live                           | busy    | "       | "       | "       | reused
      held, lease over                     | reclaim | "       | "       | "       | reused
      in doubt                             | doubt   | "       | "       | "       | reused
      lapsed                               | doubt   | "       | "       | "       | reused
      released                             | next    | "       | "       | "       | reused
      completed, by ann, stayed            | replay  | foreign | "       | "       | "
      completed, by ann, now bob           | replay  | foreign | replay  | foreign | "
      completed, by amy, stayed            | replay  | "       | foreign | "       | "
      completed, by amy, now bob           | replay  | "       | "       | foreign | "
      rejected, by ann                     | replay  | foreign | "       | "       | "
      rejected, by amy                     | replay  | "       | foreign | "       | "
      completed, by ann, now bob, past ttl | first   | "       | "       | "       | "
      rejected, by ann, ttl ends now       | first   | "       | "       | "       | "
      """;

  /** With the claim of the last grant. A state = the operation's new state, also in the outcome. */
  private static final String BY_ITS_CLAIM =
      """
      state                            | complete  | retryable | final    | unknown  | renew
      absent                           | lost      | "         | "        | "        | "
      held, live                       | completed | released  | rejected | in doubt | renewed
      held, lease ends now             | completed | released  | rejected | in doubt | renewed
      held, lease over                 | completed | released  | rejected | in doubt | renewed
      held, lease over, past ttl       | completed | released  | rejected | in doubt | renewed
      held by HOLD, lease over         | completed | released  | rejected | in doubt | renewed
      in doubt                         | completed | released  | rejected | already  | lost
      in doubt, past ttl               | completed | released  | rejected | already  | lost
      lapsed                           | completed | released  | rejected | in doubt | renewed
      lapsed, past ttl                 | completed | released  | rejected | in doubt | renewed
      released                         | lost      | already   | lost     | "        | "
      released, past ttl               | lost      | already   | lost     | "        | "
      completed                        | already   | lost      | "        | "        | "
      completed, ttl ends now          | already   | lost      | "        | "        | "
      completed, past ttl              | already   | lost      | "        | "        | "
      rejected                         | lost      | "         | already  | lost     | "
      rejected, past ttl               | lost      | "         | already  | lost     | "
      """;

  /** With any other claim. */
  private static final String BY_ANOTHER_CLAIM =
      """
      state                            | complete | retryable | final | unknown | renew
      absent                           | lost     | "         | "     | "       | "
      held, live                       | lost     | "         | "     | "       | "
      held, lease over                 | lost     | "         | "     | "       | "
      held by HOLD, lease over         | lost     | "         | "     | "       | "
      in doubt                         | lost     | "         | "     | "       | "
      lapsed                           | lost     | "         | "     | "       | "
      released                         | lost     | "         | "     | "       | "
      released, past ttl               | lost     | "         | "     | "       | "
      completed                        | lost     | "         | "     | "       | "
      completed, past ttl              | lost     | "         | "     | "       | "
      rejected                         | lost     | "         | "     | "       | "
      rejected, past ttl               | lost     | "         | "     | "       | "
      """;

  /** "again" carries the request id of the last resolution, "once" that of an earlier one. */
  private static final String RESOLVE =
      """
      state                            | complete  | reject   | release  | again   | once    | forget
      absent                           | missing   | "        | "        | "       | "       | kept
      held, live                       | completed | rejected | released | already | "       | kept
      held, lease over                 | completed | rejected | released | already | "       | kept
      held, lease over, past ttl       | completed | rejected | released | already | "       | kept
      held by HOLD, lease over         | completed | rejected | released | already | "       | kept
      in doubt                         | completed | rejected | released | already | "       | kept
      in doubt, past ttl               | completed | rejected | released | already | "       | kept
      lapsed                           | completed | rejected | released | already | "       | kept
      released                         | refused   | "        | released | already | "       | kept
      released, ttl ends now           | missing   | "        | "        | "       | "       | removed
      released, past ttl               | missing   | "        | "        | "       | "       | removed
      completed                        | refused   | "        | released | already | "       | kept
      completed, ttl ends now          | missing   | "        | "        | "       | "       | kept
      completed, past ttl              | missing   | "        | "        | "       | "       | kept
      rejected                         | refused   | "        | released | already | "       | kept
      rejected, past ttl               | missing   | "        | "        | "       | "       | kept
      """;

  /** One decision: the record before, the outcome, the record after. */
  private record Decision<O>(Optional<Operation> before, O outcome, Optional<Operation> after) {
    static <O> Decision<O> of(Optional<Operation> before, Command<O> command) {
      var loaded = new HashMap<RecordKey<?>, Object>();
      before.ifPresent(operation -> loaded.put(ID, operation));
      var batch = new Batch(loaded, NOW);
      var outcome = batch.decide(command);
      PendingRecords.check(loaded, ID, command, NOW, outcome);
      before.filter(Decision::isCompletable).ifPresent(held -> checkAfterTake(held, command));
      var change = batch.changes().get(ID);
      return new Decision<>(
          before,
          outcome,
          change == null ? before : Optional.ofNullable((Operation) change.after()));
    }

    /** Whether {@code hapax.complete_operation} accepts its claim. */
    private static boolean isCompletable(Operation operation) {
      return switch (operation) {
        case Operation.InProgress _, Operation.Indeterminate _ -> true;
        case Operation.Released _, Operation.Completed _, Operation.Rejected _ -> false;
      };
    }

    private static void checkAfterTake(Operation held, Command<?> command) {
      var claim = new OperationClaim(ID, held.grant().nonce(), held.grant().fence());
      var complete =
          new CompleteOperation(claim, Optional.of(POSTED_RESULT), Optional.of("posted"));
      PendingRecords.checkAfterTake(
          Map.of(ID, held), ID, new IntentCommand.OperationCompletion(complete), command, NOW);
    }

    void leavesAllAsItWas() {
      assertThat(after).isEqualTo(before);
    }

    Operation now() {
      return after.orElseThrow();
    }
  }

  @TestFactory
  @DisplayName("Begin in every state (I1, I2, I7, I9, I10)")
  Stream<DynamicTest> begin() {
    return Table.of(BEGIN)
        .each(
            cell -> {
              for (var fence : States.FENCES) {
                var command =
                    begin(
                        States.key("ann", false),
                        cell.command().startsWith("mine") ? MINE : AttemptId.of("other"),
                        cell.command().endsWith("other print"),
                        cell.command().equals("HOLD") ? OnStale.HOLD : OnStale.TAKE_OVER);
                check(cell.expected(), command, States.of(cell.state(), fence));
              }
            });
  }

  @TestFactory
  @DisplayName("Begin of an account-changing operation in every state, by account [I5]")
  Stream<DynamicTest> beginAccountChanging() {
    return Table.of(BEGIN_ACCOUNT_CHANGING)
        .each(
            cell -> {
              for (var fence : States.FENCES) {
                var command =
                    begin(
                        States.key(cell.command().substring(0, 3), true),
                        AttemptId.of("other"),
                        cell.command().endsWith("other print"),
                        OnStale.TAKE_OVER);
                check(cell.expected(), command, States.ofAccount(cell.state(), fence));
              }
            });
  }

  private static BeginOperation begin(
      OperationKey key, AttemptId attemptId, boolean otherPrint, OnStale onStale) {
    return new BeginOperation(
        ID,
        key,
        otherPrint ? Fingerprint.of(new byte[] {2}) : PRINT,
        attemptId,
        NEW_NONCE,
        LEASE,
        TTL,
        onStale,
        OnReleasedMismatch.KEY_REUSED);
  }

  @TestFactory
  @DisplayName("given ACCEPT, then a corrected request acquires a released key, and no other one")
  Stream<DynamicTest> correction() {
    return Stream.of("released", "held", "held, lease over", "in doubt", "completed", "rejected")
        .map(
            state ->
                DynamicTest.dynamicTest(
                    state, () -> checkCorrection(States.of(state, States.FENCES.getFirst()))));
  }

  private static void checkCorrection(Optional<Operation> before) {
    var corrected = Fingerprint.of(new byte[] {2});
    var key = States.key("ann", false);
    var command =
        new BeginOperation(
            ID,
            key,
            corrected,
            AttemptId.of("other"),
            NEW_NONCE,
            LEASE,
            TTL,
            OnStale.TAKE_OVER,
            OnReleasedMismatch.ACCEPT);
    var decision = Decision.of(before, command);
    if (before.orElseThrow() instanceof Operation.Released) {
      assertThat(decision.outcome()).isInstanceOf(BeginOutcome.Acquired.class);
      var subject = decision.now().subject();
      assertThat(subject.fingerprint()).isEqualTo(corrected);
      assertThat(subject.earlier()).isEqualTo(earlier(before));
    } else {
      assertThat(decision.outcome()).isEqualTo(new BeginOutcome.KeyReused());
      decision.leavesAllAsItWas();
    }
  }

  private static void check(String expected, BeginOperation command, Optional<Operation> before) {
    var decision = Decision.of(before, command);
    switch (expected) {
      case "first" -> granted(decision, command, 1, false);
      case "next" -> granted(decision, command, ATTEMPT + 1, false);
      case "reclaim" -> granted(decision, command, ATTEMPT + 1, true);
      case "reenter" -> reentered(decision);
      case "hold" -> held(decision);
      case "busy" -> {
        var held = (Operation.InProgress) before.orElseThrow();
        assertThat(decision.outcome())
            .isEqualTo(
                new BeginOutcome.InProgress(
                    held.grant(), Duration.between(NOW, held.leaseUntil())));
        decision.leavesAllAsItWas();
      }
      case "doubt" -> {
        assertThat(decision.outcome())
            .isEqualTo(new BeginOutcome.Indeterminate(before.orElseThrow().grant()));
        decision.leavesAllAsItWas();
      }
      case "replay" -> {
        assertThat(decision.outcome()).isEqualTo(new BeginOutcome.Replayed(answer(before)));
        decision.leavesAllAsItWas();
      }
      case "reused" -> {
        assertThat(decision.outcome()).isEqualTo(new BeginOutcome.KeyReused());
        decision.leavesAllAsItWas();
      }
      case "foreign" -> {
        assertThat(decision.outcome()).isEqualTo(new BeginOutcome.AccountMismatch());
        decision.leavesAllAsItWas();
      }
      default -> throw new IllegalArgumentException(expected);
    }
  }

  private static Replay answer(Optional<Operation> ended) {
    return ended.orElseThrow() instanceof Operation.Rejected rejected
        ? new Replay.Failed(FAILURE, rejected.since())
        : new Replay.Result(
            Optional.of(RESULT), ((Operation.Completed) ended.orElseThrow()).since());
  }

  private static void granted(
      Decision<BeginOutcome> decision, BeginOperation command, int attempt, boolean reclaimed) {
    var fence = expectedFence(decision.before());
    assertThat(decision.outcome())
        .isEqualTo(
            new BeginOutcome.Acquired(
                new OperationClaim(ID, NEW_NONCE, fence), LEASE, LEASE, attempt, reclaimed, false));
    var subject =
        attempt == 1
            ? new OperationSubject(
                command.key(), command.fingerprint(), Optional.empty(), resolved(decision.before()))
            : with(decision.before().orElseThrow().subject(), earlier(decision.before()));
    assertThat(decision.now())
        .isEqualTo(
            new Operation.InProgress(
                subject,
                new Grant(NEW_NONCE, fence, attempt, command.key().account(), NOW, NOW.plus(TTL)),
                command.attemptId(),
                NOW.plus(LEASE),
                command.onStale()));
  }

  private static OperationSubject with(OperationSubject subject, RememberedCalls earlier) {
    return new OperationSubject(
        subject.key(), subject.fingerprint(), subject.resolution(), earlier);
  }

  /** What the key remembers after this grant: the failure that its holder reported, if any. */
  private static RememberedCalls earlier(Optional<Operation> before) {
    if (before.isEmpty()) {
      return new RememberedCalls(List.of(), List.of());
    }
    var kind =
        switch (before.get()) {
          case Operation.InProgress _, Operation.Completed _ -> null;
          case Operation.Indeterminate held ->
              held.lapsed().isPresent() ? null : RememberedCalls.Kind.UNKNOWN_EFFECT;
          case Operation.Released _ -> RememberedCalls.Kind.RETRYABLE;
          case Operation.Rejected _ -> RememberedCalls.Kind.FINAL;
        };
    var failures = new ArrayList<>(before.get().subject().earlier().failures());
    if (kind != null) {
      failures.add(new RememberedCalls.Failed(NONCE, before.get().grant().fence(), kind));
    }
    return new RememberedCalls(failures, before.get().subject().earlier().resolutions());
  }

  /** The same with the last resolution, which a new one replaces. */
  private static RememberedCalls resolved(Optional<Operation> before) {
    var earlier = earlier(before);
    return before.flatMap(operation -> operation.subject().resolution()).isEmpty()
        ? earlier
        : new RememberedCalls(
            earlier.failures(), List.of(Digest.sha256("r0"), Digest.sha256("r1")));
  }

  /** Microseconds of now, or one more than the last one where the clock is behind it. */
  private static Fence expectedFence(Optional<Operation> before) {
    var micros = ChronoUnit.MICROS.between(Instant.EPOCH, NOW);
    var fence = before.map(o -> Math.max(o.grant().fence().value() + 1, micros)).orElse(micros);
    before.ifPresent(o -> assertThat(fence).isGreaterThan(o.grant().fence().value()));
    return new Fence(fence);
  }

  private static void reentered(Decision<BeginOutcome> decision) {
    var held = (Operation.InProgress) decision.before().orElseThrow();
    assertThat(decision.outcome())
        .isEqualTo(
            new BeginOutcome.Acquired(
                new OperationClaim(ID, NONCE, held.grant().fence()),
                LEASE,
                LEASE,
                ATTEMPT,
                false,
                true));
    assertThat(decision.now())
        .isEqualTo(
            new Operation.InProgress(
                held.subject(), held.grant(), MINE, NOW.plus(LEASE), held.onStale()));
  }

  private static void held(Decision<BeginOutcome> decision) {
    var held = decision.before().orElseThrow();
    assertThat(decision.outcome()).isEqualTo(new BeginOutcome.Indeterminate(held.grant()));
    assertThat(decision.now())
        .isEqualTo(
            new Operation.Indeterminate(
                held.subject(), held.grant(), NOW, Optional.empty(), Optional.of(MINE)));
  }

  @TestFactory
  @DisplayName("Complete, Fail and Renew by the claim of the last grant, in every state")
  Stream<DynamicTest> byItsClaim() {
    return Table.of(BY_ITS_CLAIM)
        .each(
            cell -> {
              for (var fence : States.FENCES) {
                checkVerb(cell, new OperationClaim(ID, NONCE, fence), fence);
              }
            });
  }

  @TestFactory
  @DisplayName("Complete, Fail and Renew by the claim of a former grant, in every state")
  Stream<DynamicTest> byAFormerClaim() {
    return Table.of(BY_ANOTHER_CLAIM)
        .each(
            cell -> {
              for (var fence : States.FENCES) {
                var former = new OperationClaim(ID, NONCE + 1, new Fence(fence.value() - 1));
                checkVerb(cell, former, fence);
              }
            });
  }

  @TestFactory
  @DisplayName(
      "given a retried FailOperation of a former grant, then it gets the same response in every state")
  Stream<DynamicTest> failedBefore() {
    return Table.of(BY_ANOTHER_CLAIM)
        .each(
            cell -> {
              var before = States.of(cell.state(), States.FENCES.getFirst());
              var former = new OperationClaim(ID, States.FORMER.nonce(), States.FORMER.fence());
              var decision = Decision.<Object>of(before, verb(cell.command(), former));
              assertThat(decision.outcome())
                  .isEqualTo(
                      before.isPresent() && cell.command().equals("retryable")
                          ? new FailOutcome.Failed(true)
                          : new OperationClaimLost(former, before));
              decision.leavesAllAsItWas();
            });
  }

  @TestFactory
  @DisplayName("given a claim that was never granted, then it is rejected and learns nothing")
  Stream<DynamicTest> byAClaimNeverGiven() {
    return Table.of(BY_ANOTHER_CLAIM)
        .each(
            cell -> {
              for (var fence : States.FENCES) {
                var before = States.of(cell.state(), fence);
                for (var claim : neverGiven(fence)) {
                  var decision = Decision.of(before, verb(cell.command(), claim));
                  assertThat(decision.outcome())
                      .isEqualTo(new OperationClaimLost(claim, Optional.empty()));
                  decision.leavesAllAsItWas();
                }
              }
            });
  }

  private static List<OperationClaim> neverGiven(Fence fence) {
    var older = new Fence(fence.value() - 1);
    var newer = new Fence(fence.value() + 1);
    return List.of(
        new OperationClaim(ID, NONCE + 1, fence),
        new OperationClaim(ID, NONCE + 1, newer),
        new OperationClaim(ID, NONCE, older),
        new OperationClaim(ID, NONCE, newer),
        new OperationClaim(ID, States.FORMER.nonce(), newer));
  }

  private static OperationClaimLost.Reason reason(
      Optional<Operation> before, OperationClaim claim) {
    if (before.isEmpty()) {
      return OperationClaimLost.Reason.UNKNOWN_CLAIM;
    }
    return before.get().grant().nonce() == claim.nonce()
        ? OperationClaimLost.Reason.ENDED
        : OperationClaimLost.Reason.LEASE_LOST;
  }

  @Test
  @DisplayName("a claim that was granted before the last resolution was lost to the operator")
  void lostToTheOperator() {
    var before = States.of("held", States.FENCES.getFirst());
    var resolvedAt = States.RESOLUTION.fence().value();
    for (var fence : List.of(resolvedAt - 1, resolvedAt, resolvedAt + 1)) {
      var claim = new OperationClaim(ID, NONCE + 1, new Fence(fence));
      var lost =
          (OperationClaimLost) Decision.of(before, new RenewOperation(claim, LEASE)).outcome();
      assertThat(lost.reason())
          .isEqualTo(
              fence < resolvedAt
                  ? OperationClaimLost.Reason.RESOLVED
                  : OperationClaimLost.Reason.LEASE_LOST);
    }
  }

  private static void checkVerb(Table.Cell cell, OperationClaim claim, Fence fence) {
    var before = States.of(cell.state(), fence);
    var decision = Decision.<Object>of(before, verb(cell.command(), claim));
    switch (cell.expected()) {
      case "lost" -> {
        assertThat(decision.outcome()).isEqualTo(new OperationClaimLost(claim, before));
        assertThat(((OperationClaimLost) decision.outcome()).reason())
            .isEqualTo(reason(before, claim));
        decision.leavesAllAsItWas();
      }
      case "already" -> {
        assertThat(decision.outcome())
            .isEqualTo(
                cell.command().equals("complete")
                    ? new CompleteOutcome.Completed(true)
                    : new FailOutcome.Failed(true));
        decision.leavesAllAsItWas();
      }
      case "renewed" -> {
        var held = before.orElseThrow();
        var onStale = held instanceof Operation.InProgress h ? h.onStale() : OnStale.HOLD;
        assertThat(decision.outcome()).isEqualTo(new RenewOutcome.Renewed(LEASE));
        assertThat(decision.now())
            .isEqualTo(
                new Operation.InProgress(
                    held.subject(), held.grant(), MINE, NOW.plus(LEASE), onStale));
      }
      default -> {
        assertThat(decision.outcome())
            .isEqualTo(
                cell.command().equals("complete")
                    ? new CompleteOutcome.Completed(false)
                    : new FailOutcome.Failed(false));
        var held = before.orElseThrow();
        assertThat(decision.now()).isEqualTo(ended(cell.expected(), held.subject(), held.grant()));
      }
    }
  }

  @SuppressWarnings("unchecked") // an outcome of any type is an object
  private static Command<Object> verb(String name, OperationClaim claim) {
    return (Command<Object>)
        switch (name) {
          case "complete" ->
              new CompleteOperation(claim, Optional.of(NEW_RESULT), Optional.of("bob"));
          case "retryable" ->
              new FailOperation(
                  claim, new FailOperation.Verdict.Retryable(Optional.of(NEW_FAILURE)));
          case "final" -> new FailOperation(claim, new FailOperation.Verdict.Final(NEW_FAILURE));
          case "unknown" ->
              new FailOperation(
                  claim, new FailOperation.Verdict.UnknownEffect(Optional.of(NEW_FAILURE)));
          case "renew" -> new RenewOperation(claim, LEASE);
          default -> throw new IllegalArgumentException(name);
        };
  }

  private static Operation ended(String state, OperationSubject subject, Grant grant) {
    return switch (state) {
      case "completed" ->
          new Operation.Completed(subject, grant, NOW, Optional.of(NEW_RESULT), Optional.of("bob"));
      case "released" -> new Operation.Released(subject, grant, NOW, Optional.of(NEW_FAILURE));
      case "rejected" -> new Operation.Rejected(subject, grant, NOW, NEW_FAILURE);
      case "in doubt" ->
          new Operation.Indeterminate(
              subject, grant, NOW, Optional.of(NEW_FAILURE), Optional.empty());
      default -> throw new IllegalArgumentException(state);
    };
  }

  @TestFactory
  @DisplayName("Resolve and Forget in every state")
  Stream<DynamicTest> resolve() {
    return Table.of(RESOLVE)
        .each(
            cell -> {
              for (var fence : States.FENCES) {
                var before = States.of(cell.state(), fence);
                if (cell.command().equals("forget")) {
                  checkForget(cell.expected(), before);
                } else {
                  checkResolve(cell, before);
                }
              }
            });
  }

  private static void checkForget(String expected, Optional<Operation> before) {
    var decision = Decision.of(before, new ForgetOperation(ID));
    assertThat(decision.outcome()).isEqualTo(expected.equals("removed"));
    assertThat(decision.after()).isEqualTo(expected.equals("removed") ? Optional.empty() : before);
  }

  private static final Map<String, Verdict> VERDICTS =
      Map.of(
          "complete", new Verdict.Complete(Optional.of(NEW_RESULT)),
          "reject", new Verdict.Reject(NEW_FAILURE),
          "release", new Verdict.Release(),
          "again", new Verdict.Release(),
          "once", new Verdict.Release());

  private static void checkResolve(Table.Cell cell, Optional<Operation> before) {
    var request =
        switch (cell.command()) {
          case "again" ->
              new ResolveOperation.Request(
                  "r1", new Attribution("olga", "looked it up", PrincipalName.NONE));
          case "once" ->
              new ResolveOperation.Request(
                  "r0", new Attribution("olga", "long ago", PrincipalName.NONE));
          default -> NEW_REQUEST;
        };
    var verdict = VERDICTS.getOrDefault(cell.command(), new Verdict.Release());
    var decision = Decision.of(before, new ResolveOperation(ID, NEW_NONCE, request, verdict));
    switch (cell.expected()) {
      case "missing" -> {
        assertThat(decision.outcome()).isEqualTo(new ResolveOutcome.NotFound());
        decision.leavesAllAsItWas();
      }
      case "refused" -> {
        assertThat(decision.outcome())
            .isEqualTo(new ResolveOutcome.NotAllowed(before.orElseThrow()));
        decision.leavesAllAsItWas();
      }
      case "already" -> {
        assertThat(decision.outcome())
            .isEqualTo(new ResolveOutcome.Resolved(before.orElseThrow(), true));
        decision.leavesAllAsItWas();
      }
      default -> {
        var resolved = resolved(cell.expected(), before);
        assertThat(decision.outcome()).isEqualTo(new ResolveOutcome.Resolved(resolved, false));
        assertThat(decision.now()).isEqualTo(resolved);
      }
    }
  }

  /** The operator's grant: a new fence and time to live. */
  private static Operation resolved(String state, Optional<Operation> before) {
    var was = before.orElseThrow();
    var grant = new Grant(NEW_NONCE, expectedFence(before), ATTEMPT, "ann", NOW, NOW.plus(TTL));
    var resolution =
        new OperationSubject.Resolution(
            "r2", new Attribution("oscar", "again", PrincipalName.NONE), grant.fence());
    var subject =
        new OperationSubject(was.subject().key(), PRINT, Optional.of(resolution), resolved(before));
    return switch (state) {
      case "completed" ->
          new Operation.Completed(subject, grant, NOW, Optional.of(NEW_RESULT), Optional.empty());
      case "rejected" -> new Operation.Rejected(subject, grant, NOW, NEW_FAILURE);
      case "released" -> new Operation.Released(subject, grant, NOW, Optional.empty());
      default -> throw new IllegalArgumentException(state);
    };
  }

  @TestFactory
  @DisplayName("a lease that lasts longer than a new one is kept")
  Stream<DynamicTest> longerLeaseIsKept() {
    var longer = NOW.plus(LEASE.multipliedBy(2));
    var grant = new Grant(NONCE, States.FENCES.getFirst(), ATTEMPT, "ann", NOW, NOW.plus(TTL));
    var held =
        new Operation.InProgress(
            new OperationSubject(States.key("ann", false), PRINT),
            grant,
            MINE,
            longer,
            OnStale.HOLD);
    var claim = new OperationClaim(ID, NONCE, grant.fence());
    var left = LEASE.multipliedBy(2);
    return Stream.of(
        DynamicTest.dynamicTest(
            "by Renew",
            () -> {
              var decision = Decision.of(Optional.of(held), new RenewOperation(claim, LEASE));
              assertThat(decision.outcome()).isEqualTo(new RenewOutcome.Renewed(left));
              decision.leavesAllAsItWas();
            }),
        DynamicTest.dynamicTest(
            "by Begin of the same attempt",
            () -> {
              var again = begin(States.key("ann", false), MINE, false, OnStale.TAKE_OVER);
              var decision = Decision.of(Optional.of(held), again);
              assertThat(decision.outcome())
                  .isEqualTo(new BeginOutcome.Acquired(claim, LEASE, left, ATTEMPT, false, true));
              decision.leavesAllAsItWas();
            }));
  }

  @TestFactory
  @DisplayName("every command names its one record, its workspace and its route")
  Stream<DynamicTest> namesItsRecord() {
    var claim = new OperationClaim(ID, NONCE, States.FENCES.getFirst());
    var all =
        List.<Command<?>>of(
            begin(States.key("ann", false), MINE, false, OnStale.HOLD),
            verb("complete", claim),
            verb("final", claim),
            verb("renew", claim),
            new ForgetOperation(ID),
            new ResolveOperation(ID, 1, NEW_REQUEST, new Verdict.Release()));
    return all.stream()
        .map(
            command ->
                DynamicTest.dynamicTest(
                    command.getClass().getSimpleName(),
                    () -> {
                      assertThat(List.<Object>copyOf(command.keys())).containsExactly(ID);
                      assertThat(command.workspace()).isEqualTo(ID.workspace());
                      assertThat(command.route()).isEqualTo(ID);
                      assertThat(command.size()).isPositive();
                    }));
  }
}
