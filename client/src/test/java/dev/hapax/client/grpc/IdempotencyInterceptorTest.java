package dev.hapax.client.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.StringValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.rpc.ErrorInfo;
import dev.hapax.client.Claim;
import dev.hapax.client.Conditions;
import dev.hapax.client.FakeHapax;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.Hapax;
import dev.hapax.client.Operation;
import dev.hapax.client.Orders;
import dev.hapax.client.Shop;
import dev.hapax.client.UnknownEffect;
import dev.hapax.client.internal.HandlerThreads;
import dev.hapax.client.internal.RpcDetails;
import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.Failure;
import dev.hapax.v1.OperationState;
import dev.hapax.v1.Payload;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class IdempotencyInterceptorTest {

  private static final StringValue TEA = StringValue.of("tea");
  private static final Context.Key<String> USER = Context.key("user");

  private final FakeHapax<SystemTiming> hapax = FakeHapax.live();
  private final Orders orders = new Orders();
  private final Hapax client = client().connect();
  private Shop shop = shop(client);

  @AfterEach
  void close() {
    shop.close();
    client.close();
    hapax.close();
  }

  private Hapax.Builder client() {
    return Hapax.builder().channel(hapax.channel).tryTimeout(Duration.ofMillis(500));
  }

  private Shop shop(Hapax client) {
    return new Shop(interceptor(client).protect(orders));
  }

  private static IdempotencyInterceptor.Builder interceptor(Hapax client) {
    return IdempotencyInterceptor.builder(client)
        .account(headers -> Objects.requireNonNullElse(headers.get(Shop.ACCOUNT), ""));
  }

  private void use(Shop other) {
    shop.close();
    shop = other;
  }

  private Shop.Answer<StringValue> place(String key) {
    return shop.call(Orders.PLACE, Shop.key(key), TEA);
  }

  private static void answer(StreamObserver<StringValue> observer, String text) {
    observer.onNext(StringValue.of(text));
    observer.onCompleted();
  }

  @Test
  @DisplayName(
      "given a completed call, when it is repeated, then the response is replayed "
          + "with the trailer and the handler ran once [I1]")
  void replays() {
    Shop.Answer<StringValue> first = place("k");
    Shop.Answer<StringValue> second = place("k");

    assertThat(first.status().isOk()).isTrue();
    assertThat(first.replayed()).isFalse();
    assertThat(second.message()).isEqualTo(StringValue.of("placed tea"));
    assertThat(second.replayed()).isTrue();
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a response with maps and unknown fields, when it is replayed, then it "
          + "is equal byte for byte [I1]")
  void replaysByteForByte() {
    Struct.Builder request = Struct.newBuilder();
    for (String name : List.of("z", "a", "m", "0", "zz", "b")) {
      request.putFields(name, Value.newBuilder().setStringValue(name).build());
    }
    var unknown =
        com.google.protobuf.UnknownFieldSet.newBuilder()
            .addField(
                99, com.google.protobuf.UnknownFieldSet.Field.newBuilder().addVarint(7).build())
            .build();
    Struct struct = request.setUnknownFields(unknown).build();

    ByteString first = bytes(shop.call(Orders.QUOTE, Shop.key("k"), struct));
    ByteString second = bytes(shop.call(Orders.QUOTE, Shop.key("k"), struct));

    assertThat(second).isEqualTo(first);
    assertThat(Objects.requireNonNull(hapax.store.result("k")).getBinary()).isEqualTo(first);
  }

  private static ByteString bytes(Shop.Answer<Struct> answer) {
    return Objects.requireNonNull(answer.message()).toByteString();
  }

  @Test
  @DisplayName(
      "given 50 concurrent calls, when one executes, then the others are ABORTED "
          + "with a retry delay [I2]")
  void runsOnceAmongMany() {
    CountDownLatch release = new CountDownLatch(1);
    orders.handler =
        (request, answer) -> {
          awaitUninterruptibly(release);
          answer(answer, "once");
        };
    List<Shop.Pending<StringValue, StringValue>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(shop.start(Orders.PLACE, Shop.key("k"), TEA));
    }
    Conditions.until(() -> calls.stream().filter(call -> call.answer().isDone()).count() == 49);
    release.countDown();

    var answers = calls.stream().map(Shop.Pending::await).toList();

    assertThat(orders.runs).hasValue(1);
    assertThat(answers).filteredOn(answer -> answer.status().isOk()).hasSize(1);
    assertThat(answers)
        .filteredOn(answer -> !answer.status().isOk())
        .hasSize(49)
        .allSatisfy(IdempotencyInterceptorTest::isDuplicate);
  }

  private static void isDuplicate(Shop.Answer<StringValue> answer) {
    assertThat(answer.status().getCode()).isEqualTo(Status.Code.ABORTED);
    assertThat(answer.reason()).isEqualTo("hapax.dev/DUPLICATE_REQUEST");
    var error = new StatusRuntimeException(answer.status(), answer.trailers());
    assertThat(RpcDetails.retryDelay(error)).isPresent();
    assertThat(Long.parseLong(String.valueOf(answer.trailers().get(IdempotencyStatus.PUSHBACK))))
        .isPositive();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  @DisplayName(
      "given a handler that closes with a status, when it ends, then the key is free "
          + "and the caller gets the details [I3]")
  void statusFreesTheKey() {
    orders.handler =
        (request, answer) -> {
          answer.onNext(StringValue.of("half"));
          answer.onError(declined());
        };
    Shop.Answer<StringValue> failed = place("k");
    orders.handler = (request, answer) -> answer(answer, "now");

    assertThat(failed.message()).isNull();
    assertThat(failed.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(failed.reason()).isEqualTo("shop/CARD_DECLINED");
    assertThat(place("k").message()).isEqualTo(StringValue.of("now"));
    assertThat(orders.runs).hasValue(2);
  }

  private static StatusRuntimeException declined() {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.FAILED_PRECONDITION.value())
            .setMessage("no money")
            .addDetails(
                com.google.protobuf.Any.pack(
                    ErrorInfo.newBuilder().setDomain("shop").setReason("CARD_DECLINED").build()))
            .build());
  }

  @Test
  @DisplayName(
      "given a handler that throws, when it ends, then the key is free and the "
          + "caller gets no details [I3]")
  void exceptionFreesTheKey() {
    orders.handler =
        (request, answer) -> {
          throw new IllegalStateException("secret");
        };
    Shop.Answer<StringValue> failed = place("k");

    assertThat(failed.status().getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(failed.status().getDescription()).doesNotContain("secret");
    assertThat(hapax.store.state("k")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
  }

  @Test
  void aFailureForGoodIsReplayedWithItsStatusAndDetails() {
    use(new Shop(interceptor(client).failByStatus().protect(orders)));
    orders.handler = (request, answer) -> answer.onError(declined());
    place("k");
    Shop.Answer<StringValue> second = place("k");

    assertThat(second.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(second.status().getDescription()).isEqualTo("no money");
    assertThat(second.reason()).isEqualTo("shop/CARD_DECLINED");
    assertThat(second.replayed()).isTrue();
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void aHandlerSaysItselfWhatItsFailureMeans() {
    orders.handler =
        (request, answer) -> {
          var silent = new UnknownEffect("BANK_SILENT", "no answer");
          answer.onError(Status.DEADLINE_EXCEEDED.withCause(silent).asRuntimeException());
        };
    place("k");
    Shop.Answer<StringValue> second = place("k");

    assertThat(second.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(second.reason()).isEqualTo("hapax.dev/PREVIOUS_ATTEMPT_INDETERMINATE");
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void anOperatorsRejectionUnderACodeOfItsOwn() {
    place("k");
    hapax.store.resolve(
        "k", null, Failure.newBuilder().setCode("FRAUD").setMessage("blocked").build());

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(answer.reason()).isEqualTo("hapax.dev/OPERATION_REJECTED");
    assertThat(answer.replayed()).isTrue();
  }

  @Test
  @DisplayName(
      "given a used key, when another account or method uses it, then the call runs " + "[I4]")
  void scopes() {
    shop.call(Orders.PLACE, Shop.key("k", "ann"), TEA);
    shop.call(Orders.PLACE, Shop.key("k", "bob"), TEA);
    shop.call(Orders.PAY, Shop.key("k", "ann"), TEA);

    assertThat(orders.runs).hasValue(3);
  }

  @Test
  @DisplayName(
      "given an account-changing call, when it is repeated, then only the old and "
          + "the new account get the replay [I5]")
  void changesTheAccount() {
    Metadata before = Shop.key("k", "old");
    shop.call(Orders.RESET, before, StringValue.of("new"));

    var again = shop.call(Orders.RESET, Shop.key("k", "old"), StringValue.of("new"));
    var after = shop.call(Orders.RESET, Shop.key("k", "new"), StringValue.of("new"));
    var stranger = shop.call(Orders.RESET, Shop.key("k", "eve"), StringValue.of("new"));

    assertThat(again.replayed()).isTrue();
    assertThat(after.replayed()).isTrue();
    assertThat(after.message()).isEqualTo(Empty.getDefaultInstance());
    assertThat(stranger.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(stranger.reason()).isEqualTo("hapax.dev/ACCOUNT_MISMATCH");
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given no key or an empty one, when a method is called, then it runs without a "
          + "call to Hapax [I6]")
  void runsWithoutKey() {
    shop.call(Orders.PLACE, new Metadata(), TEA);
    shop.call(Orders.PLACE, new Metadata(), TEA);
    place("");

    assertThat(orders.runs).hasValue(3);
    assertThat(hapax.faults.calls("begin")).isZero();
    assertThat(hapax.store.rows()).isZero();
  }

  @Test
  @DisplayName(
      "given an operation without a result, when it is replayed, then the response "
          + "is the empty message [I8]")
  void replaysVoid() {
    place("k");
    hapax.store.resolve("k", null, null);

    assertThat(place("k").message()).isEqualTo(StringValue.getDefaultInstance());
  }

  @Test
  @DisplayName(
      "given a used key, when another request uses it, then it is rejected and "
          + "nothing runs [I10]")
  void refusesAnotherRequest() {
    place("k");
    var other = shop.call(Orders.PLACE, Shop.key("k"), StringValue.of("coffee"));

    assertThat(other.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(other.reason()).isEqualTo("hapax.dev/IDEMPOTENCY_KEY_REUSED");
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void refusesBadKeys() {
    var missing = shop.call(Orders.PAY, new Metadata(), TEA);
    var longest = place("k".repeat(255));
    var tooLong = place("k".repeat(256));
    Metadata two = Shop.key("k");
    two.put(IdempotencyInterceptor.KEY, "l");
    var ambiguous = shop.call(Orders.PLACE, two, TEA);

    assertThat(longest.status().isOk()).isTrue();
    assertThat(List.of(missing, tooLong, ambiguous))
        .extracting(answer -> answer.status().getCode())
        .containsOnly(Status.Code.INVALID_ARGUMENT);
    assertThat(missing.reason()).isEqualTo("hapax.dev/IDEMPOTENCY_KEY_REQUIRED");
    assertThat(tooLong.reason()).isEqualTo("hapax.dev/IDEMPOTENCY_KEY_INVALID");
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void leavesStreamsAlone() {
    assertThat(shop.call(Orders.WATCH, Shop.key("k"), TEA).status().isOk()).isTrue();
    assertThat(hapax.faults.calls("begin")).isZero();
  }

  @Test
  void aPolicyThatRequiresAKeyRefusesACallWithoutOne() {
    use(
        new Shop(
            interceptor(client)
                .method(Orders.PLACE, true, operation -> operation)
                .protect(orders)));

    assertThat(shop.call(Orders.PLACE, new Metadata(), TEA).reason())
        .isEqualTo("hapax.dev/IDEMPOTENCY_KEY_REQUIRED");
    assertThat(orders.runs).hasValue(0);
  }

  @Test
  void answersUnavailableWhenHapaxIsDown() {
    use(
        new Shop(
            interceptor(client.callTimeout(Duration.ofMillis(300)))
                .method(Orders.PLACE)
                .protect(orders)));
    hapax.faults.down(true);

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(answer.reason()).isEqualTo("hapax.dev/IDEMPOTENCY_UNAVAILABLE");
    assertThat(orders.runs).hasValue(0);
  }

  @Test
  void runsAnOpenMethodWhenHapaxIsDownAndSaysSo() {
    hapax.faults.down(true);

    Shop.Answer<StringValue> answer = shop.call(Orders.OPEN, Shop.key("k"), TEA);

    assertThat(answer.message()).isEqualTo(StringValue.of("placed tea"));
    assertThat(answer.trailers().get(IdempotencyInterceptor.UNRECORDED)).isEqualTo("true");
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void doesNotReportAnAnswerAsKeptWhenThatIsUnknown() {
    use(unconfirmed(operation -> operation));
    orders.handler =
        (request, answer) -> {
          hapax.faults.down(true);
          answer(answer, "done");
        };

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    assertThat(answer.reason()).isEqualTo("hapax.dev/IDEMPOTENCY_UNAVAILABLE");
    assertThat(answer.message()).isNull();
  }

  /** A shop that gives up to record after its lease. */
  private Shop unconfirmed(UnaryOperator<Operation> options) {
    Hapax impatient = client().recordTimeout(Duration.ofMillis(200)).connect();
    return new Shop(
        interceptor(impatient)
            .method(
                Orders.PLACE, operation -> options.apply(operation.lease(Duration.ofMillis(300))))
            .protect(orders));
  }

  @Test
  @DisplayName("given an open method, when its record is not confirmed, then its response is sent")
  void anOpenMethodSendsAnUnconfirmedAnswerAndSaysSo() {
    use(unconfirmed(Operation::failOpen));
    orders.handler =
        (request, answer) -> {
          hapax.faults.down(true);
          answer(answer, "done");
        };

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.message()).isEqualTo(StringValue.of("done"));
    assertThat(answer.trailers().get(IdempotencyInterceptor.UNRECORDED)).isEqualTo("true");
  }

  @Test
  @DisplayName(
      "given lost responses to Begin and Complete, when they are retried, then the "
          + "handler ran once and its response is returned [X1]")
  void survivesLostAnswers() {
    hapax.faults.drop("begin", 1);
    hapax.faults.drop("complete", 1);

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.message()).isEqualTo(StringValue.of("placed tea"));
    assertThat(answer.replayed()).isFalse();
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  @DisplayName(
      "given a claim that was taken over, when the old handler ends, then the "
          + "winner's response is returned [I9]")
  void answersTheWinner() {
    StringValue winner = StringValue.of("winner");
    orders.handler =
        (request, answer) -> {
          hapax.store.takeOver("k", Payload.newBuilder().setBinary(winner.toByteString()).build());
          answer(answer, "loser");
        };

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.message()).isEqualTo(winner);
    assertThat(answer.replayed()).isTrue();
  }

  @Test
  @DisplayName(
      "given a claim that was taken over by a running call, when the old handler "
          + "ends, then the status is CLAIM_LOST [I9]")
  void answersClaimLost() {
    orders.handler =
        (request, answer) -> {
          hapax.store.takeOver("k", null);
          answer(answer, "loser");
        };

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.status().getCode()).isEqualTo(Status.Code.ABORTED);
    assertThat(answer.reason()).isEqualTo("hapax.dev/CLAIM_LOST");
    assertThat(answer.message()).isNull();
  }

  @Test
  void aCallerThatGoesAwayDoesNotStopTheWork() {
    CountDownLatch gone = new CountDownLatch(1);
    CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
    CountDownLatch running = new CountDownLatch(1);
    orders.handler =
        (request, answer) -> {
          running.countDown();
          awaitUninterruptibly(gone);
          cancelled.complete(Context.current().isCancelled());
          answer(answer, "done anyway");
        };
    var call = shop.start(Orders.PLACE, Shop.key("k"), TEA);
    awaitUninterruptibly(running);
    call.call().cancel("tired of waiting", null);
    assertThat(call.await().status().getCode()).isEqualTo(Status.Code.CANCELLED);
    gone.countDown();

    Conditions.until(() -> hapax.store.state("k") == OperationState.OPERATION_STATE_COMPLETED);
    assertThat(cancelled.join()).isFalse();
    assertThat(place("k").message()).isEqualTo(StringValue.of("done anyway"));
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void aCallerThatGoesAwayBeforeTheHandlerRunsGivesTheKeyBack() {
    CompletableFuture<ServerCall<?, ?>> arrived = new CompletableFuture<>();
    ServerInterceptor outer =
        new ServerInterceptor() {
          @Override
          public <Q, R> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            arrived.complete(call);
            return next.startCall(call, headers);
          }
        };
    use(new Shop(ServerInterceptors.intercept(interceptor(client).protect(orders), outer)));
    CountDownLatch begun = new CountDownLatch(1);
    hapax.faults.before(
        "begin",
        () -> {
          begun.countDown();
          Conditions.until(arrived.join()::isCancelled);
        });
    var call = shop.start(Orders.PLACE, Shop.key("k"), TEA);
    awaitUninterruptibly(begun);

    call.call().cancel("tired of waiting", null);

    Conditions.until(() -> hapax.store.state("k") == OperationState.OPERATION_STATE_RELEASED);
    assertThat(orders.runs).hasValue(0);
  }

  @Test
  void sendsWhatIsTooLargeToKeepAndDoesNotRepeatIt() {
    String large = "x".repeat(300_000);
    orders.handler = (request, answer) -> answer(answer, large);

    assertThat(place("k").message()).isEqualTo(StringValue.of(large));
    Shop.Answer<StringValue> second = place("k");

    assertThat(second.status().getCode()).isEqualTo(Status.Code.FAILED_PRECONDITION);
    assertThat(second.reason()).isEqualTo("hapax.dev/RESPONSE_NOT_RETAINED");
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  void aHandlerThatEndsWithoutAResponseFails() {
    orders.handler = (request, answer) -> answer.onCompleted();

    assertThat(place("k").status().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(hapax.store.state("k")).isEqualTo(OperationState.OPERATION_STATE_RELEASED);
  }

  @Test
  void aHandlerThatThrowsAfterItAnsweredHasAnswered() {
    orders.handler =
        (request, answer) -> {
          answer(answer, "done");
          throw new IllegalStateException("too late to matter");
        };

    assertThat(place("k").message()).isEqualTo(StringValue.of("done"));
    assertThat(place("k").replayed()).isTrue();
  }

  @Test
  void aFullExecutorRefusesTheCallBeforeItBegins() {
    use(
        new Shop(
            interceptor(client)
                .executor(
                    task -> {
                      throw new RejectedExecutionException("full");
                    })
                .protect(orders)));

    Shop.Answer<StringValue> answer = place("k");

    assertThat(answer.status().getCode()).isEqualTo(Status.Code.ABORTED);
    assertThat(answer.trailers().get(IdempotencyStatus.PUSHBACK)).isEqualTo("1000");
    assertThat(hapax.faults.calls("begin")).isZero();
    assertThat(orders.runs).hasValue(0);
  }

  @Test
  @DisplayName("given a pool of one thread, when its handler runs, then another call is refused")
  void aFullPoolRefusesTheCallBeforeItBegins() {
    CountDownLatch release = new CountDownLatch(1);
    orders.handler =
        (request, answer) -> {
          awaitUninterruptibly(release);
          answer(answer, "done");
        };
    use(new Shop(interceptor(client).executor(HandlerThreads.refusing(1)).protect(orders)));
    var call = shop.start(Orders.PLACE, Shop.key("k"), TEA);
    Conditions.until(() -> orders.runs.get() == 1);

    assertThat(place("other").status().getCode()).isEqualTo(Status.Code.ABORTED);
    release.countDown();
    assertThat(call.await().message()).isEqualTo(StringValue.of("done"));
    assertThat(hapax.faults.calls("begin")).isEqualTo(1);
  }

  @Test
  void handlersSeeTheContextAndTheirClaim() {
    ServerInterceptor outer =
        new ServerInterceptor() {
          @Override
          public <Q, R> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            return Contexts.interceptCall(
                Context.current().withValue(USER, "ann"), call, headers, next);
          }
        };
    use(new Shop(ServerInterceptors.intercept(interceptor(client).protect(orders), outer)));
    orders.handler =
        (request, answer) -> {
          Claim running = Idempotency.current();
          answer(answer, USER.get() + (running.fence() > 0) + running.attempt());
        };

    assertThat(place("k").message()).isEqualTo(StringValue.of("anntrue1"));
  }

  @Test
  void endsOfCallsReachInnerInterceptors() {
    CountDownLatch completed = new CountDownLatch(1);
    ServerInterceptor inner =
        new ServerInterceptor() {
          @Override
          public <Q, R> ServerCall.Listener<Q> interceptCall(
              ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
            return new io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener<>(
                next.startCall(call, headers)) {
              @Override
              public void onComplete() {
                super.onComplete();
                completed.countDown();
              }
            };
          }
        };
    IdempotencyInterceptor outer = interceptor(client).method(Orders.PLACE).build();
    use(new Shop(ServerInterceptors.interceptForward(orders, outer, inner)));

    place("k");

    awaitUninterruptibly(completed);
  }

  @Test
  @DisplayName(
      "given a running handler, when renewals fail, then it is notified of the loss " + "[I2]")
  void keepsALongHandlerAliveAndTellsItOfALoss() {
    use(
        new Shop(
            interceptor(client)
                .method(Orders.PLACE, operation -> operation.lease(Duration.ofSeconds(2)))
                .protect(orders)));
    CountDownLatch lost = new CountDownLatch(1);
    orders.handler =
        (request, answer) -> {
          Idempotency.current().onLost(lost::countDown);
          awaitUninterruptibly(lost);
          answer(answer, "too late");
        };
    var call = shop.start(Orders.PLACE, Shop.key("k"), TEA);
    Conditions.until(() -> hapax.faults.calls("renew") >= 2);

    assertThat(lost.getCount()).isEqualTo(1);
    assertThat(place("k").reason()).isEqualTo("hapax.dev/DUPLICATE_REQUEST");
    hapax.store.takeOver("k", null);

    assertThat(call.await().reason()).isEqualTo("hapax.dev/CLAIM_LOST");
  }

  @Test
  void twoInterceptorsOfOneCallAreOne() {
    IdempotencyInterceptor whole = interceptor(client).method(Orders.PLACE).build();
    use(new Shop(ServerInterceptors.intercept(interceptor(client).protect(orders), whole)));

    assertThat(place("k").message()).isEqualTo(StringValue.of("placed tea"));
    assertThat(hapax.faults.calls("begin")).isEqualTo(1);
  }

  @Test
  void onlyAnAccountChangingMethodMayChangeTheAccount() {
    orders.handler =
        (request, answer) -> {
          Idempotency.current().accountAfter("new");
          answer(answer, "never");
        };

    assertThat(place("k").status().getCode()).isEqualTo(Status.Code.UNKNOWN);
  }

  @Test
  void aReplayDoesNotStartTheHandler() {
    place("k");
    place("k");
    place("k");

    assertThat(orders.runs).hasValue(1);
    assertThat(hapax.faults.calls("complete")).isEqualTo(1);
  }

  @Test
  @DisplayName("given a handler that throws a final failure, then its status is replayed")
  void aDeclaredFailureIsReplayedWithTheStatusOfTheCall() {
    orders.handler =
        (request, answer) -> {
          throw new FinalFailure("CARD_DECLINED", "no money");
        };
    Shop.Answer<StringValue> first = place("k");
    Shop.Answer<StringValue> second = place("k");

    assertThat(first.status().getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(second.status().getCode()).isEqualTo(Status.Code.UNKNOWN);
    assertThat(second.replayed()).isTrue();
    assertThat(orders.runs).hasValue(1);
  }

  @Test
  @DisplayName("given statuses decide, when a handler throws, then its effect is unknown")
  void byStatusAnExceptionHasAnUnknownEffect() {
    use(new Shop(interceptor(client).failByStatus().protect(orders)));
    orders.handler =
        (request, answer) -> {
          throw new IllegalStateException("secret");
        };
    place("k");

    assertThat(hapax.store.state("k")).isEqualTo(OperationState.OPERATION_STATE_INDETERMINATE);
  }

  @Test
  @DisplayName(
      "given a handler that answers from another thread, when it is interrupted meanwhile, then "
          + "its response is recorded")
  void waitsForAnAnswerOfAnotherThread() {
    CompletableFuture<Thread> waiting = new CompletableFuture<>();
    CompletableFuture<StreamObserver<StringValue>> later = new CompletableFuture<>();
    orders.handler =
        (request, answer) -> {
          waiting.complete(Thread.currentThread());
          later.complete(answer);
        };
    var call = shop.start(Orders.PLACE, Shop.key("k"), TEA);
    StreamObserver<StringValue> observer = later.join();
    Thread thread = waiting.join();
    Conditions.until(() -> thread.getState() == Thread.State.WAITING);
    thread.interrupt();
    answer(observer, "later");

    assertThat(call.await().message()).isEqualTo(StringValue.of("later"));
    assertThat(place("k").replayed()).isTrue();
  }

  @Test
  @DisplayName("given a running handler, then the server's own thread is free for other calls")
  void doesNotBlockTheServer() {
    CountDownLatch release = new CountDownLatch(1);
    orders.handler =
        (request, answer) -> {
          awaitUninterruptibly(release);
          answer(answer, "done");
        };
    use(new Shop(interceptor(client).protect(orders), Executors.newSingleThreadExecutor()));
    var call = shop.start(Orders.PLACE, Shop.key("k"), TEA);
    Conditions.until(() -> orders.runs.get() == 1);

    assertThat(place("k").reason()).isEqualTo("hapax.dev/DUPLICATE_REQUEST");
    release.countDown();
    assertThat(call.await().message()).isEqualTo(StringValue.of("done"));
  }

  @Test
  @DisplayName("given a required key, when a call of an annotated method has none, it is refused")
  void requiresKeysOfAllMethods() {
    use(new Shop(interceptor(client).required().protect(orders)));

    assertThat(shop.call(Orders.PLACE, new Metadata(), TEA).reason())
        .isEqualTo("hapax.dev/IDEMPOTENCY_KEY_REQUIRED");
    assertThat(orders.runs).hasValue(0);
  }
}
