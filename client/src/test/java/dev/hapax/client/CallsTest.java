package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.hapax.client.Calls.Answer;
import dev.hapax.client.Calls.Budget;
import dev.hapax.client.Observer.CallKind;
import dev.hapax.client.internal.ErrorStatus;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Timing;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.Error;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetServerInfoRequest;
import dev.hapax.v1.GetServerInfoResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One call over a channel that answers as the test says, on a clock that pauses advance. */
class CallsTest {

  private static final Path VECTORS = Path.of("../kits/contract/vectors/retries.json");
  private static final GetServerInfoResponse OK = GetServerInfoResponse.getDefaultInstance();
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Script script = new Script();
  private final Clock clock = new Clock();
  private final List<CallKind> observed = new ArrayList<>();
  private final Observer observer =
      new Observer() {
        @Override
        public void called(String method, CallKind kind, Duration duration) {
          observed.add(kind);
        }
      };
  private final Calls calls =
      new Calls(script, clock, observer, Duration.ofSeconds(5), Calls.Router.UNARY);

  @AfterEach
  void clearFlag() {
    var unused = Thread.interrupted();
  }

  /** What happens to the calls, one after the other; the last one repeats. */
  private static final class Script extends Channel {
    private final Deque<Consumer<ClientCall.Listener<Object>>> answers = new ArrayDeque<>();
    private final List<CallOptions> calls = new ArrayList<>();
    private final AtomicInteger cancelled = new AtomicInteger();

    Script then(Consumer<ClientCall.Listener<Object>> answer) {
      answers.add(answer);
      return this;
    }

    Script fails(StatusRuntimeException error) {
      return then(
          call ->
              call.onClose(
                  error.getStatus(),
                  Objects.requireNonNullElseGet(error.getTrailers(), Metadata::new)));
    }

    Script answers(Object message) {
      return then(
          call -> {
            call.onMessage(message);
            call.onClose(Status.OK, new Metadata());
          });
    }

    Script never() {
      return then(call -> {});
    }

    @Override
    @SuppressWarnings("unchecked") // a listener accepts what the method returns
    public <Q, R> ClientCall<Q, R> newCall(MethodDescriptor<Q, R> method, CallOptions options) {
      calls.add(options);
      var answer = answers.size() > 1 ? answers.removeFirst() : answers.getFirst();
      return new ClientCall<>() {
        private @Nullable Listener<Object> listener;

        @Override
        public void start(Listener<R> responses, Metadata headers) {
          listener = (Listener<Object>) responses;
        }

        @Override
        public void request(int count) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {
          cancelled.incrementAndGet();
        }

        @Override
        public void halfClose() {
          answer.accept(Objects.requireNonNull(listener));
        }

        @Override
        public void sendMessage(Q message) {}
      };
    }

    @Override
    public String authority() {
      return "script";
    }
  }

  /** Each pause advances it at once. */
  private static final class Clock implements Timing {
    private final List<Duration> pauses = new ArrayList<>();
    private long now = 1_000;

    @Override
    public long nanos() {
      return now;
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Executor callbacks() {
      return Runnable::run;
    }

    @Override
    public Executor listeners() {
      return Runnable::run;
    }

    @Override
    public void sleep(Duration pause) throws InterruptedException {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      pauses.add(pause);
      now += pause.toNanos();
    }
  }

  private Answer<GetServerInfoResponse> send(Budget budget) {
    return calls.send(GetServerInfoRequest.getDefaultInstance(), OK, budget);
  }

  private static StatusRuntimeException unavailable() {
    return Status.UNAVAILABLE.asRuntimeException();
  }

  private static List<JsonNode> retries() throws IOException {
    JsonNode all = new ObjectMapper().readTree(VECTORS.toFile()).get("vectors");
    return StreamSupport.stream(all.spliterator(), false).toList();
  }

  private static StatusRuntimeException error(JsonNode vector) {
    Error.Builder error =
        Error.newBuilder().setCode(Status.Code.valueOf(vector.get("code").textValue()).value());
    if (!vector.get("reason").isNull()) {
      error.setReason(ErrorReason.valueOf("ERROR_REASON_" + vector.get("reason").textValue()));
    }
    if (!vector.get("advised_ms").isNull()) {
      error.setRetryAfter(
          ProtoTimes.toProto(Duration.ofMillis(vector.get("advised_ms").longValue())));
    }
    return ErrorStatus.of(error.build());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("retries")
  @DisplayName("given an error of the contract, then the call is repeated after that pause")
  void pauses(JsonNode vector) {
    int retry = vector.get("retry").intValue();
    for (int i = 0; i <= retry; i++) {
      script.fails(error(vector));
    }
    script.answers(OK);
    Duration days = Duration.ofDays(1);
    Budget budget =
        vector.get("holder").booleanValue() ? Budget.record(days, () -> false) : Budget.of(days);

    if (vector.get("least_ms").isNull()) {
      assertThatThrownBy(() -> send(budget)).isInstanceOf(HapaxException.class);
      assertThat(script.calls).hasSize(1);
      assertThat(clock.pauses).isEmpty();
      return;
    }
    send(budget);
    assertThat(clock.pauses).hasSize(retry + 1);
    assertThat(clock.pauses.get(retry))
        .isBetween(
            Duration.ofMillis(vector.get("least_ms").longValue()),
            Duration.ofMillis(vector.get("most_ms").longValue()));
    assertThat(observed).containsExactly(CallKind.OK);
  }

  @Test
  @DisplayName("given an error that stays, then the call is given up before the pause that is late")
  void budget() {
    script.fails(unavailable());

    assertThatThrownBy(() -> send(Budget.of(SECOND)))
        .isInstanceOf(HapaxException.Unavailable.class)
        .hasCauseInstanceOf(StatusRuntimeException.class);
    assertThat(clock.pauses.stream().mapToLong(Duration::toMillis).sum()).isBetween(200L, 1000L);
    assertThat(script.calls).hasSize(clock.pauses.size() + 1);
    assertThat(observed).containsExactly(CallKind.UNAVAILABLE);
  }

  @Test
  @DisplayName("given a wait of the request, then it adds to the budget and to each try")
  void held() {
    script.fails(unavailable());

    assertThatThrownBy(() -> send(Budget.of(SECOND).holding(Duration.ofSeconds(30))))
        .isInstanceOf(HapaxException.Unavailable.class);
    assertThat(clock.nanos()).isGreaterThan(Duration.ofSeconds(28).toNanos());
    assertThat(script.calls)
        .allSatisfy(
            call ->
                assertThat(
                        Objects.requireNonNull(call.getDeadline()).timeRemaining(TimeUnit.SECONDS))
                    .isBetween(6L, 35L));
  }

  @Test
  @DisplayName("given a strict budget, then the last try ends with it")
  void strict() {
    script.fails(unavailable());

    assertThatThrownBy(() -> send(Budget.strict(SECOND)))
        .isInstanceOf(HapaxException.Unavailable.class);
    assertThat(script.calls)
        .allSatisfy(
            call ->
                assertThat(Objects.requireNonNull(call.getDeadline()))
                    .isLessThanOrEqualTo(Deadline.after(1, TimeUnit.SECONDS)));
  }

  @Test
  @DisplayName("given a claim that is held, then its record is repeated beyond the budget")
  void holder() {
    AtomicInteger asked = new AtomicInteger();
    script.fails(unavailable());

    assertThatThrownBy(() -> send(Budget.record(SECOND, () -> asked.incrementAndGet() <= 50)))
        .isInstanceOf(HapaxException.Unavailable.class);
    assertThat(script.calls).hasSizeGreaterThan(50);
  }

  @Test
  @DisplayName("given an outcome that is newer than the client, then the call is not repeated")
  void unknownOutcome() {
    script.answers(BeginOperationResponse.getDefaultInstance());

    assertThatThrownBy(
            () ->
                calls.send(
                    BeginOperationRequest.getDefaultInstance(),
                    BeginOperationResponse.getDefaultInstance(),
                    Budget.of(SECOND)))
        .isInstanceOf(HapaxException.UnknownAnswer.class)
        .hasStackTraceContaining("BeginOperation");
    assertThat(script.calls).hasSize(1);
    assertThat(observed).containsExactly(CallKind.UNKNOWN_ANSWER);
  }

  @Test
  @DisplayName("given no message or a broken listener of gRPC, then the call is repeated")
  void brokenAnswers() {
    script.then(call -> call.onClose(Status.OK, new Metadata())).answers(OK);

    assertThat(send(Budget.of(SECOND)).message()).isEqualTo(OK);
    assertThat(script.calls).hasSize(2);
  }

  @Test
  @DisplayName("given a deadline of the caller, then it ends a call, but no record of work")
  void deadline() throws Exception {
    Deadline soon =
        Deadline.after(
            300,
            TimeUnit.MILLISECONDS,
            new Deadline.Ticker() {
              @Override
              public long nanoTime() {
                return 0;
              }
            });
    var timer = Executors.newSingleThreadScheduledExecutor();
    try (var context = Context.current().withDeadline(soon, timer)) {
      script.fails(unavailable());
      context.run(
          () ->
              assertThatThrownBy(() -> send(Budget.of(Duration.ofMinutes(1))))
                  .isInstanceOf(HapaxException.Unavailable.class));
      assertThat(clock.nanos()).isLessThan(Duration.ofMillis(301).toNanos());

      clock.pauses.clear();
      context.run(
          () ->
              assertThatThrownBy(() -> send(Budget.record(Duration.ofMinutes(1), () -> false)))
                  .isInstanceOf(HapaxException.Unavailable.class));
      assertThat(clock.nanos()).isGreaterThan(Duration.ofSeconds(50).toNanos());
    } finally {
      timer.shutdownNow();
    }
  }

  @Test
  @DisplayName("given a caller's context that is cancelled, then its values count, nothing else")
  void cancelledContext() {
    Context.Key<String> key = Context.key("tenant");
    List<String> seen = new ArrayList<>();
    script.then(
        call -> {
          seen.add(key.get() + Context.current().isCancelled());
          call.onMessage(OK);
          call.onClose(Status.OK, new Metadata());
        });
    var context = Context.current().withValue(key, "ann").withCancellation();
    context.cancel(null);

    context.run(() -> send(Budget.of(SECOND)));

    assertThat(seen).containsExactly("annfalse");
  }

  @Test
  @DisplayName("given an interrupt in a call, then it is cancelled, and the flag stays")
  void interrupted() {
    script.never();
    Thread.currentThread().interrupt();

    var thrown =
        catchThrowableOfType(HapaxException.Unavailable.class, () -> send(Budget.of(SECOND)));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).hasCauseInstanceOf(InterruptedException.class);
    assertThat(script.cancelled).hasValue(1);
    assertThat(observed).containsExactly(CallKind.CANCELLED);
  }

  @Test
  @DisplayName("given an interrupt in a pause, then the call ends, and the flag stays")
  void interruptedPause() {
    script.then(
        call -> {
          Thread.currentThread().interrupt();
          call.onClose(Status.UNAVAILABLE, new Metadata());
        });

    var thrown =
        catchThrowableOfType(HapaxException.Unavailable.class, () -> send(Budget.of(SECOND)));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(thrown).hasCauseInstanceOf(InterruptedException.class);
    assertThat(script.calls).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @DisplayName(
      "given an interrupt while work is recorded, then the record ends, and the flag stays")
  void interruptedRecord(boolean inPause) throws Exception {
    Thread caller = Thread.currentThread();
    List<Thread> threads = new ArrayList<>();
    script.then(
        call -> {
          caller.interrupt();
          if (inPause) {
            call.onClose(Status.UNAVAILABLE, new Metadata());
            return;
          }
          Thread late =
              new Thread(
                  () -> {
                    Conditions.until(() -> !caller.isInterrupted());
                    call.onClose(Status.UNAVAILABLE, new Metadata());
                  });
          threads.add(late);
          late.start();
        });
    script.answers(OK);

    assertThat(send(Budget.record(SECOND, () -> false)).message()).isEqualTo(OK);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(script.calls).hasSize(2);
    assertThat(script.cancelled).hasValue(0);
    assertThat(clock.pauses).hasSize(1);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  @DisplayName("given one try, when its future is cancelled, then the call is")
  void cancelled() {
    script.never().answers(OK);

    CompletableFuture<?> sent = calls.start(GetServerInfoRequest.getDefaultInstance(), OK, SECOND);
    assertThat(sent).isNotDone();
    sent.cancel(false);
    assertThat(script.cancelled).hasValue(1);

    // one that has ended cancels nothing
    assertThat(calls.start(GetServerInfoRequest.getDefaultInstance(), OK, SECOND)).isCompleted();
    assertThat(script.cancelled).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND"})
  @DisplayName("given an error that would repeat, then its exception has the kind")
  void kinds(String code) {
    script.fails(Status.fromCode(Status.Code.valueOf(code)).asRuntimeException());
    HapaxException.Kind kind =
        code.equals("NOT_FOUND") ? HapaxException.Kind.REFUSED : HapaxException.Kind.valueOf(code);

    assertThatThrownBy(() -> send(Budget.of(SECOND)))
        .isInstanceOfSatisfying(
            HapaxException.class, each -> assertThat(each.kind()).isEqualTo(kind));
    assertThat(observed).extracting(CallKind::name).containsExactly(kind.name());
  }
}
