package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import com.google.protobuf.UnknownFieldSet;
import dev.hapax.client.HolderScene.Verb;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.BeginOperationResponse;
import dev.hapax.v1.OperationServiceGrpc;
import dev.hapax.v1.OperationState;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.Context;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operations do besides the rules of {@link HolderTest}. */
@Timeout(60)
class OnceTest {

  private static final Operation PLACE = Operation.of("orders/Place", "key");

  private final HolderScene scene = new HolderScene(Verb.OPERATION);
  private final FakeOperations store = scene.hapax.store;
  private final AtomicInteger runs = new AtomicInteger();
  private final ExecutorService pool = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    var unused = Thread.interrupted();
    pool.shutdownNow();
    scene.close();
  }

  private String work(Claim claim) {
    runs.incrementAndGet();
    return "{\"order\": 1 }";
  }

  private OnceOutcome<String> place(Operation operation) {
    return scene.client.tryOnce(operation, Codec.jsonText(), this::work);
  }

  private void fails(Exception thrown) {
    assertThatThrownBy(
            () ->
                scene.client.once(
                    PLACE,
                    Codec.jsonText(),
                    claim -> {
                      throw thrown;
                    }))
        .isSameAs(thrown);
  }

  @Test
  @DisplayName("given a completed operation, then its result is replayed byte for byte [I1]")
  void replays() {
    assertThat(place(PLACE)).isEqualTo(new OnceOutcome.Done<>("{\"order\": 1 }", true));
    assertThat(place(PLACE))
        .isEqualTo(
            new OnceOutcome.Replayed<>("{\"order\": 1 }", Instant.ofEpochSecond(1_000), false));
    assertThat(scene.client.once(PLACE, Codec.jsonText(), this::work)).isEqualTo("{\"order\": 1 }");
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName("given 50 concurrent calls, then one does the work [I2]")
  void oneAmongMany() throws Exception {
    CountDownLatch others = new CountDownLatch(49);
    List<Future<OnceOutcome<String>>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(
          pool.submit(
              () -> {
                OnceOutcome<String> outcome =
                    scene.client.tryOnce(
                        PLACE,
                        Codec.jsonText(),
                        claim -> {
                          others.await();
                          return work(claim);
                        });
                others.countDown();
                return outcome;
              }));
    }

    int inProgress = 0;
    for (Future<OnceOutcome<String>> call : calls) {
      if (call.get() instanceof OnceOutcome.InProgress<String> other) {
        inProgress++;
        assertThat(other.attempt()).isEqualTo(1);
        assertThat(other.retryAfter()).isEqualTo(HolderScene.LEASE);
      }
    }

    assertThat(inProgress).isEqualTo(49);
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName("given a duplicate that waits, then it gets the result of the holder [I2]")
  void waits() throws Exception {
    CompletableFuture<OnceOutcome<String>> second = new CompletableFuture<>();
    scene.client.once(
        PLACE,
        Codec.jsonText(),
        claim -> {
          pool.execute(() -> second.complete(place(PLACE.wait(Duration.ofSeconds(20)))));
          Conditions.until(() -> store.attemptIds().size() == 2);
          return work(claim);
        });

    assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(OnceOutcome.Replayed.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a wait that used up the lease, then the attempt is repeated, which extends it")
  void waitsLong() {
    Operation patient = PLACE.lease(Duration.ofSeconds(10)).wait(Duration.ofSeconds(30));
    CompletableFuture<Claim> second = new CompletableFuture<>();
    scene.client.tryOnce(
        PLACE,
        Codec.jsonText(),
        claim -> {
          pool.execute(
              () ->
                  scene.client.tryOnce(
                      patient,
                      Codec.jsonText(),
                      own -> {
                        assertThat(own.isLost()).isFalse();
                        second.complete(own);
                        return work(own);
                      }));
          Conditions.until(() -> store.attemptIds().size() == 2);
          scene.hapax.timing.sleepThrough(Duration.ofSeconds(25));
          store.release("key");
          return second.join().id();
        });

    assertThat(store.attemptIds()).hasSize(3);
    assertThat(store.attemptIds().get(2)).isEqualTo(store.attemptIds().get(1));
  }

  @Test
  @DisplayName("given work that says how it failed, then duplicates get that [I3]")
  void failures() {
    fails(new RetryableFailure("BANK_CLOSED", "no"));
    assertThat(store.state("key")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    fails(new HapaxException.Refused(Status.NOT_FOUND.asRuntimeException()));
    assertThat(store.state("key"))
        .as("another call")
        .isEqualTo(OperationState.OPERATION_STATE_RELEASED);
    fails(new IOException(new FinalFailure("CARD_DECLINED", "no money")));
    OnceOutcome<String> second = place(PLACE);
    assertThat(second)
        .isInstanceOfSatisfying(
            OnceOutcome.Rejected.class,
            rejected -> assertThat(rejected.failure().code()).isEqualTo("CARD_DECLINED"));
    assertThatThrownBy(second::orThrow)
        .isInstanceOf(HapaxException.Rejected.class)
        .hasMessage("the operation failed: CARD_DECLINED no money");
    assertThat(runs).hasValue(0);
  }

  @Test
  @DisplayName("given work whose effect is unknown, then duplicates are rejected")
  void unknownEffect() {
    fails(new UnknownEffect("BANK_SILENT", "no answer"));

    assertThat(place(PLACE)).isInstanceOf(OnceOutcome.Indeterminate.class);
    assertThatThrownBy(place(PLACE)::orThrow).isInstanceOf(HapaxException.Indeterminate.class);
    assertThat(runs).hasValue(0);
  }

  @Test
  @DisplayName(
      "given an expired lease, then the next call is told, or rejected if it says HOLD [I9]")
  void stale() {
    scene.client.tryOnce(
        PLACE,
        Codec.jsonText(),
        first -> {
          scene.hapax.timing.sleepThrough(Duration.ofMinutes(5));
          return scene.client.once(
              PLACE,
              Codec.jsonText(),
              second -> {
                assertThat(second.isReclaimed()).isTrue();
                assertThat(second.attempt()).isEqualTo(2);
                assertThat(second.fence()).isGreaterThan(first.fence());
                return work(second);
              });
        });

    Operation hold = Operation.of("orders/Hold", "hold").onStale(Operation.OnStale.HOLD);
    scene.client.tryOnce(
        hold,
        Codec.jsonText(),
        first -> {
          scene.hapax.timing.sleepThrough(Duration.ofMinutes(5));
          assertThat(place(hold)).isInstanceOf(OnceOutcome.Indeterminate.class);
          return "1";
        });
  }

  @Test
  @DisplayName("given a used key, then another account, operation or workspace does the work [I4]")
  void scopes() {
    place(PLACE);
    place(PLACE.account("bob"));
    place(Operation.of("orders/Cancel", "key"));
    scene.client.workspace("other").once(PLACE, Codec.jsonText(), this::work);

    assertThat(runs).hasValue(4);
  }

  @Test
  @DisplayName("given a used key, then another input is rejected [I10]")
  void keyReused() {
    place(PLACE.fingerprint(new byte[] {1}));

    OnceOutcome<String> other = place(PLACE.fingerprint(new byte[] {2}));
    assertThat(other).isEqualTo(new OnceOutcome.KeyReused<>());
    assertThatThrownBy(other::orThrow).isInstanceOf(HapaxException.KeyReused.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName("given no request id, then the work runs without a call [I6]")
  void untracked() {
    assertThat(
            scene.client.tryOnce(
                Operation.of("orders/Place", ""),
                Codec.jsonText(),
                claim -> {
                  assertThat(claim.isTracked() || claim.isLost()).isFalse();
                  assertThat(claim.leaseLeft()).isPositive();
                  return work(claim);
                }))
        .isEqualTo(new OnceOutcome.Done<>("{\"order\": 1 }", false));
    place(Operation.of("orders/Place", ""));

    assertThat(runs).hasValue(2);
    assertThat(store.attemptIds()).isEmpty();
  }

  @Test
  @DisplayName("given an effect without a result, then it happens once [I8]")
  void effect() {
    scene.client.once("orders/Reset", "key", claim -> runs.incrementAndGet());
    scene.client.once("orders/Reset", "key", claim -> runs.incrementAndGet());

    assertThat(runs).hasValue(1);
    assertThat(store.result("key")).isNull();
  }

  @Test
  @DisplayName(
      "given a message as the result, then its bytes are replayed; another type is unreadable")
  void codecs() {
    Codec<StringValue> codec = Codec.message(StringValue.parser());
    scene.client.once(PLACE, codec, claim -> StringValue.of("one"));

    assertThat(scene.client.once(PLACE, codec, claim -> StringValue.of("two")))
        .isEqualTo(StringValue.of("one"));
    assertThat(Objects.requireNonNull(store.result("key")).getBinary())
        .isEqualTo(StringValue.of("one").toByteString());
    assertThatThrownBy(() -> place(PLACE))
        .isInstanceOf(HapaxException.Unreadable.class)
        .hasMessageContaining("is not JSON");

    byte[] large = new byte[256 * 1024];
    Operation other = Operation.of("orders/Large", "large");
    scene.client.once(other, Codec.bytes(), claim -> large);
    assertThat(scene.client.once(other, Codec.bytes(), claim -> new byte[0])).isEqualTo(large);
  }

  @Test
  @DisplayName("given a result that was not kept, then duplicates get NOT_RETAINED")
  void notRetained() {
    scene.client.once(PLACE, Codec.bytes(), claim -> new byte[256 * 1024 + 1]);

    OnceOutcome<String> second = place(PLACE);
    assertThat(second).isInstanceOf(OnceOutcome.NotRetained.class);
    assertThatThrownBy(second::orThrow).isInstanceOf(HapaxException.NotRetained.class);
  }

  @Test
  @DisplayName("given lost responses to a begin, then the repetitions are one attempt [X1]")
  void beginIsLost() {
    scene.hapax.faults.drop("begin", 2);

    assertThat(place(PLACE)).isInstanceOf(OnceOutcome.Done.class);

    assertThat(store.attemptIds()).hasSize(3).doesNotContain("");
    assertThat(new HashSet<>(store.attemptIds())).hasSize(1);
    assertThat(runs).hasValue(1);
  }

  @Test
  @DisplayName("given an outage, then nothing runs, but with failOpen the work runs untracked")
  void away() {
    scene.hapax.faults.down(true);

    assertThatThrownBy(() -> place(PLACE)).isInstanceOf(HapaxException.Unavailable.class);
    assertThat(runs).hasValue(0);
    assertThat(place(PLACE.failOpen())).isEqualTo(new OnceOutcome.Done<>("{\"order\": 1 }", false));
  }

  @Test
  @DisplayName("given failOpen, then neither a revoked key nor an interrupt lets the work run")
  void failsClosed() {
    scene.hapax.access.accept(FakeAccess.SECOND_KEY);
    assertThatThrownBy(() -> place(PLACE.failOpen()))
        .isInstanceOf(HapaxException.Unauthenticated.class)
        .hasMessageContaining("check the API key");
    assertThat(scene.hapax.access.rejected()).as("on a stream, and as a call").isEqualTo(2);

    scene.hapax.access.accept("");
    scene.hapax.faults.silence("begin", 1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> place(PLACE.failOpen()))
        .isInstanceOf(HapaxException.Unavailable.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(runs).hasValue(0);
  }

  @Test
  @DisplayName("given a caller that is cancelled, then renewals and the record go on")
  void cancelledContext() {
    Context.CancellableContext caller = Context.current().withCancellation();

    caller.run(
        () ->
            scene.client.once(
                PLACE,
                Codec.jsonText(),
                claim -> {
                  caller.cancel(new CancellationException("the caller is gone"));
                  scene.hapax.timing.advance(Duration.ofMinutes(5));
                  return work(claim);
                }));

    assertThat(scene.renewals()).isEqualTo(15);
    assertThat(scene.isCompleted()).isTrue();
  }

  @Test
  @DisplayName("given an interrupt while the record waits for its answer, then it waits on [J10]")
  void interruptedWhileItRecords() {
    Thread caller = Thread.currentThread();
    Channel slow = ClientInterceptors.intercept(scene.hapax.channel, new LateAnswers(caller));
    try (Hapax client = Hapax.builder().channel(slow).timing(scene.hapax.timing).connect()) {
      assertThat(
              client.tryOnce(
                  PLACE,
                  Codec.jsonText(),
                  claim -> {
                    caller.interrupt();
                    return work(claim);
                  }))
          .isEqualTo(new OnceOutcome.Done<>("{\"order\": 1 }", true));
    }
    assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
    assertThat(scene.completions()).isEqualTo(1);
  }

  /** Answers completions from another thread, when the caller waits. */
  private record LateAnswers(Thread caller) implements ClientInterceptor {
    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
        MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
      ClientCall<Q, R> call = next.newCall(method, options);
      if (!method.getFullMethodName().endsWith("CompleteOperation")) {
        return call;
      }
      return new SimpleForwardingClientCall<>(call) {
        @Override
        public void start(Listener<R> listener, Metadata headers) {
          super.start(
              new SimpleForwardingClientCallListener<>(listener) {
                @Override
                public void onClose(Status status, Metadata trailers) {
                  new Thread(
                          () -> {
                            Conditions.until(() -> caller.getState() == Thread.State.WAITING);
                            super.onClose(status, trailers);
                          })
                      .start();
                }
              },
              headers);
        }
      };
    }
  }

  @Test
  @DisplayName("given an outcome that the client does not know, then the work does not run")
  void newerServer() throws IOException {
    AtomicInteger begun = new AtomicInteger();
    var newer =
        UnknownFieldSet.newBuilder()
            .addField(
                99, UnknownFieldSet.Field.newBuilder().addLengthDelimited(ByteString.EMPTY).build())
            .build();
    String name = InProcessServerBuilder.generateName();
    var server =
        InProcessServerBuilder.forName(name)
            .addService(
                new OperationServiceGrpc.OperationServiceImplBase() {
                  @Override
                  public void beginOperation(
                      BeginOperationRequest request,
                      StreamObserver<BeginOperationResponse> answer) {
                    begun.incrementAndGet();
                    answer.onNext(
                        BeginOperationResponse.newBuilder().setUnknownFields(newer).build());
                    answer.onCompleted();
                  }
                })
            .build()
            .start();
    var channel = InProcessChannelBuilder.forName(name).build();
    try (Hapax client = Hapax.builder().channel(channel).connect()) {
      assertThatThrownBy(() -> client.once(PLACE.failOpen(), Codec.jsonText(), this::work))
          .isInstanceOf(HapaxException.UnknownAnswer.class)
          .hasMessage(
              "Hapax answered BeginOperation with an outcome that this client does not know"
                  + " (field 99); upgrade it");
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
    assertThat(runs).hasValue(0);
    assertThat(begun).hasValue(1);
  }
}
