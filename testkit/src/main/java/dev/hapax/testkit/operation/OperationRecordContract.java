package dev.hapax.testkit.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.Attribution;
import dev.hapax.domain.Failure;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.Payload;
import dev.hapax.domain.PrincipalName;
import dev.hapax.domain.ledger.Ledger;
import dev.hapax.domain.operation.AttemptId;
import dev.hapax.domain.operation.Grant;
import dev.hapax.domain.operation.OnStale;
import dev.hapax.domain.operation.Operation;
import dev.hapax.domain.operation.OperationId;
import dev.hapax.domain.operation.OperationKey;
import dev.hapax.domain.operation.OperationSubject;
import dev.hapax.domain.operation.RememberedCalls;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The contract of operation records: every ledger stores all data, in every state and after every
 * change.
 */
public abstract class OperationRecordContract {
  private static final AtomicInteger KEYS = new AtomicInteger();

  private static final List<Optional<Payload>> PAYLOADS =
      List.of(
          Optional.empty(),
          Optional.of(new Payload.Json("{\"b\":1,  \"a\": \"\\u0000 \uD83D\uDE00\"}")),
          Optional.of(new Payload.Json("")),
          Optional.of(new Payload.Binary(new byte[] {0, -1, '\\', '{', '"', ','})),
          Optional.of(new Payload.Binary(new byte[0])));

  private static final List<String> TEXTS =
      List.of("plain", "NULL", "{\"a\\b\", }", "ünï\uD83D\uDE00".repeat(40), "'; --\u00a0");

  private static final RememberedCalls EARLIER = earlier(3);

  private final Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);

  protected abstract Ledger ledger();

  /**
   * Reads the whole record; for decisions, the ledger may omit the failure of an unfinished
   * operation.
   */
  protected abstract Optional<Operation> kept(OperationId id);

  private Optional<Operation> read(OperationId id) {
    return new Answers(ledger()).to(RecordAccess.read(id));
  }

  private void write(OperationId id, Optional<Operation> operation) {
    new Answers(ledger()).to(RecordAccess.write(id, operation));
  }

  @Test
  @DisplayName("a record is read as it was written, in every state, with and without each part")
  void everyStateAndPart() {
    writeAndRead(all(newCaller().key()));
  }

  @Test
  @DisplayName(
      "given a change from any state to any other, then no data of the former state remains")
  void everyTransition() {
    var names = newCaller().key();
    for (var before : samples(names)) {
      for (var after : samples(names)) {
        var caller = newCaller();
        var from = withFence(before, 1);
        var to = withFence(after, 2);
        write(caller.id(), Optional.of(from));
        write(caller.id(), Optional.of(to));
        assertKept(caller.id(), to);
        write(caller.id(), Optional.empty());
        assertThat(read(caller.id())).isEmpty();
      }
    }
  }

  @Test
  @DisplayName("a hundred records of all states written and read at once are not mixed up")
  void manyAtOnce() {
    var names = newCaller().key();
    writeAndRead(Stream.generate(() -> samples(names)).limit(20).flatMap(List::stream).toList());
  }

  private void writeAndRead(List<Operation> written) {
    var ids = Stream.generate(() -> newCaller().id()).limit(written.size()).toList();
    var numbers = IntStream.range(0, ids.size()).boxed().toList();
    var answers = new Answers(ledger());

    answers.toAll(
        numbers.stream()
            .map(i -> RecordAccess.write(ids.get(i), Optional.of(written.get(i))))
            .toList());

    var found = answers.toAll(ids.stream().map(RecordAccess::read).toList());
    for (var i : numbers) {
      assertThat(found.get(i).map(OperationRecordContract::withoutLiveFailure))
          .contains(withoutLiveFailure(written.get(i)));
      assertThat(kept(ids.get(i))).contains(written.get(i));
    }
  }

  private void assertKept(OperationId id, Operation written) {
    var found = read(id).orElseThrow();
    assertThat(withoutLiveFailure(found)).isEqualTo(withoutLiveFailure(written));
    assertThat(kept(id)).contains(written);
  }

  private static Operation withoutLiveFailure(Operation operation) {
    return switch (operation) {
      case Operation.Indeterminate o ->
          new Operation.Indeterminate(
              o.subject(), o.grant(), o.since(), Optional.empty(), o.lapsed());
      case Operation.Released o ->
          new Operation.Released(o.subject(), o.grant(), o.since(), Optional.empty());
      case Operation.InProgress _, Operation.Completed _, Operation.Rejected _ -> operation;
    };
  }

  private static Caller newCaller() {
    return Caller.of("record-" + KEYS.incrementAndGet());
  }

  /** One of each state, with every part it can have. */
  private List<Operation> samples(OperationKey key) {
    var subject =
        new OperationSubject(
            key,
            fingerprint(),
            Optional.of(
                new OperationSubject.Resolution(
                    "r",
                    new Attribution("ann", "why", new PrincipalName("api-key:billing")),
                    new Fence(7))),
            EARLIER);
    var grant = grant("bob", 7);
    var failure = new Failure("code", "message", PAYLOADS.get(1));
    return List.of(
        new Operation.InProgress(subject, grant, AttemptId.of("a"), now, OnStale.HOLD),
        new Operation.Indeterminate(subject, grant, now, Optional.of(failure), Optional.empty()),
        new Operation.Indeterminate(
            subject, grant, now, Optional.empty(), Optional.of(AttemptId.of("b"))),
        new Operation.Released(subject, grant, now, Optional.of(failure)),
        new Operation.Completed(subject, grant, now, PAYLOADS.get(3), Optional.of("carl")),
        new Operation.Rejected(subject, grant, now, failure));
  }

  private static Operation withFence(Operation operation, long fence) {
    var old = operation.grant();
    var grant =
        new Grant(fence, new Fence(fence), old.attempt(), old.account(), old.at(), old.expiresAt());
    return switch (operation) {
      case Operation.InProgress o ->
          new Operation.InProgress(o.subject(), grant, o.attemptId(), o.leaseUntil(), o.onStale());
      case Operation.Indeterminate o ->
          new Operation.Indeterminate(o.subject(), grant, o.since(), o.failure(), o.lapsed());
      case Operation.Released o ->
          new Operation.Released(o.subject(), grant, o.since(), o.failure());
      case Operation.Completed o ->
          new Operation.Completed(o.subject(), grant, o.since(), o.result(), o.accountAfter());
      case Operation.Rejected o ->
          new Operation.Rejected(o.subject(), grant, o.since(), o.failure());
    };
  }

  /** Every state with every subject, grant and payload, and every text in some place. */
  private List<Operation> all(OperationKey plain) {
    var all = new ArrayList<Operation>();
    for (var text : TEXTS) {
      var key = new OperationKey(plain.workspace(), text, text, text, text.length() > 20);
      for (var resolution :
          List.of(
              Optional.<OperationSubject.Resolution>empty(),
              Optional.of(
                  new OperationSubject.Resolution(
                      text,
                      new Attribution(text, text, new PrincipalName(text)),
                      new Fence(Long.MAX_VALUE))))) {
        var subject = new OperationSubject(key, fingerprint(), resolution, earlier(text.length()));
        all.addAll(states(subject, grant(key.account(), 1), text));
        all.addAll(states(subject, grant("", Long.MIN_VALUE), text));
      }
    }
    return all;
  }

  private List<Operation> states(OperationSubject subject, Grant grant, String text) {
    var states = new ArrayList<Operation>();
    for (var onStale : OnStale.values()) {
      states.add(new Operation.InProgress(subject, grant, AttemptId.of(text), now, onStale));
    }
    List<BiFunction<Instant, Optional<Failure>, Operation>> held =
        List.of(
            (since, failure) ->
                new Operation.Indeterminate(subject, grant, since, failure, Optional.empty()),
            (since, failure) -> new Operation.Released(subject, grant, since, failure));
    held.forEach(state -> states.add(state.apply(now, Optional.empty())));
    states.add(
        new Operation.Indeterminate(
            subject, grant, now, Optional.empty(), Optional.of(AttemptId.of(text))));
    for (var payload : PAYLOADS) {
      var failure = new Failure(text, text + "\n", payload);
      held.forEach(state -> states.add(state.apply(now, Optional.of(failure))));
      states.add(new Operation.Rejected(subject, grant, now, failure));
      states.add(new Operation.Completed(subject, grant, now, payload, Optional.empty()));
      states.add(new Operation.Completed(subject, grant, now, payload, Optional.of(text)));
    }
    return states;
  }

  /** So many calls, but no more than are kept. */
  private static RememberedCalls earlier(int number) {
    var kinds = RememberedCalls.Kind.values();
    return new RememberedCalls(
        IntStream.range(0, number)
            .mapToObj(
                i ->
                    new RememberedCalls.Failed(
                        Long.MIN_VALUE + i, new Fence(-1L - i), kinds[i % kinds.length]))
            .toList(),
        IntStream.range(0, number).mapToObj(i -> new UUID(-i, i)).toList());
  }

  private Grant grant(String account, long nonce) {
    return new Grant(nonce, new Fence(42), 3, account, now, now.plus(Duration.ofHours(1)));
  }

  private static Fingerprint fingerprint() {
    return Fingerprint.of(new byte[] {1});
  }
}
