package dev.hapax.grpc.run;

import static dev.hapax.grpc.run.Service.completion;
import static dev.hapax.grpc.run.Service.task;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.grpc.call.AnswerBudget;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.call.UnreadClient;
import dev.hapax.v1.NewSignal;
import dev.hapax.v1.RunEvent;
import dev.hapax.v1.RunEventType;
import dev.hapax.v1.RunServiceGrpc;
import dev.hapax.v1.SignalRunRequest;
import dev.hapax.v1.WatchRunRequest;
import dev.hapax.v1.WatchRunResponse;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RunEventStreamTest {
  private final Service service = new Service();

  @BeforeEach
  void define() {
    service.define("order", task("a"));
  }

  @AfterEach
  void close() {
    service.close();
  }

  /** Takes what it asks for. */
  private static final class Watcher
      implements ClientResponseObserver<WatchRunRequest, WatchRunResponse> {
    final List<RunEvent> events = new ArrayList<>();
    private final int atFirst;
    private @Nullable ClientCallStreamObserver<WatchRunRequest> call;
    Optional<Code> end = Optional.empty();

    Watcher(int atFirst) {
      this.atFirst = atFirst;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<WatchRunRequest> stream) {
      call = stream;
      stream.disableAutoRequestWithInitial(atFirst);
    }

    @Override
    public void onNext(WatchRunResponse response) {
      events.add(response.getEvent());
    }

    @Override
    public void onError(Throwable failure) {
      end = Optional.of(Status.fromThrowable(failure).getCode());
    }

    @Override
    public void onCompleted() {
      end = Optional.of(Code.OK);
    }

    ClientCallStreamObserver<WatchRunRequest> call() {
      return Objects.requireNonNull(call);
    }

    List<Long> versions() {
      return events.stream().map(RunEvent::getVersion).toList();
    }
  }

  private Watcher watch(String id, long after, int atFirst) {
    var watcher = new Watcher(atFirst);
    RunServiceGrpc.newStub(service.channel)
        .watchRun(
            WatchRunRequest.newBuilder().setRunId(id).setAfterVersion(after).build(), watcher);
    return watcher;
  }

  @Test
  @DisplayName("given a watched run, then the stream has history, new events and the end")
  void live() {
    var id = service.started().getId();
    var watcher = watch(id, 0, 100);
    assertThat(watcher.versions()).containsExactly(1L);
    assertThat(service.places.size()).isEqualTo(1);
    var claim = service.poll().getClaim();
    assertThat(watcher.versions()).containsExactly(1L, 2L);
    assertThat(watcher.events.getLast().getStepStarted().getFence()).isEqualTo(claim.getFence());
    var _ = service.worker().completeTask(completion(claim).setOutput(Service.json("7")).build());
    assertThat(watcher.versions()).containsExactly(1L, 2L, 3L, 4L);
    assertThat(watcher.events.getLast().getType()).isEqualTo(RunEventType.RUN_EVENT_TYPE_COMPLETED);
    assertThat(watcher.events.getLast().getCompleted().getOutput()).isEqualTo(Service.json("7"));
    assertThat(watcher.end).contains(Code.OK);
    assertThat(service.places.size()).isZero();
  }

  @Test
  @DisplayName("given a caller that reads slowly, then events are buffered and none is lost")
  void flow() {
    var id = service.started().getId();
    var _ = service.worker().completeTask(completion(service.poll().getClaim()).build());
    var watcher = watch(id, 1, 1);
    assertThat(watcher.versions()).containsExactly(2L);
    watcher.call().request(1);
    assertThat(watcher.versions()).containsExactly(2L, 3L);
    assertThat(watcher.end).isEmpty();
    watcher.call().request(10);
    assertThat(watcher.versions()).containsExactly(2L, 3L, 4L);
    assertThat(watcher.end).contains(Code.OK);
    assertThat(watch(id, 4, 1).end).contains(Code.OK);
  }

  @Test
  @DisplayName("given a caller that cancels, then its place is free at once")
  void gone() {
    var watcher = watch(service.started().getId(), 0, 100);
    assertThat(service.places.size()).isEqualTo(1);
    watcher.call().cancel("gone", null);
    assertThat(service.places.size()).isZero();
  }

  @Test
  @DisplayName("given a server that stops, then the stream ends with UNAVAILABLE")
  void stopping() {
    var watcher = watch(service.started().getId(), 0, 100);
    service.services.runs().stopWaiting();
    assertThat(watcher.end).contains(Code.UNAVAILABLE);
    assertThat(watch("run_01k00000000000000000000000", 0, 1).end).contains(Code.NOT_FOUND);
  }

  @Test
  @Tag("A8")
  @DisplayName("given a caller that reads nothing, then its stream ends with RESOURCE_EXHAUSTED")
  void stalled() throws Exception {
    var id = RunIds.read("", service.started().getId());
    var caller = new UnreadClient<WatchRunResponse>();
    new RunEventStream(
            service.services.runs(), id, 0, caller, Duration.ofMillis(1), AnswerBudget.OF_PROCESS)
        .start();
    var refusal = Refusal.of((StatusRuntimeException) caller.ended.get(1, TimeUnit.MINUTES));
    assertThat(refusal.code()).isEqualTo(Code.RESOURCE_EXHAUSTED);
    assertThat(refusal.reason()).isEqualTo("STREAM_STALLED");
    assertThat(service.places.size()).isZero();
  }

  /** A run with so many events, each with a large payload. */
  private String large(int signals) {
    var id = service.started().getId();
    for (var i = 0; i < signals; i++) {
      var _ =
          service
              .runs()
              .signalRun(
                  SignalRunRequest.newBuilder()
                      .setRunId(id)
                      .setSignal(
                          NewSignal.newBuilder()
                              .setSignalId("signal-" + i)
                              .setPayload(Service.json("\"" + "x".repeat(100 << 10) + "\"")))
                      .build());
    }
    return id;
  }

  /** A stream whose client does not read yet. */
  private record Slow(UnreadClient<WatchRunResponse> client, RunEventStream stream) {
    List<Long> versions() {
      return client.received.stream().map(each -> each.getEvent().getVersion()).toList();
    }
  }

  private Slow slow(String id, AnswerBudget budget) {
    var client = new UnreadClient<WatchRunResponse>();
    var stream =
        new RunEventStream(
            service.services.runs(), RunIds.read("", id), 0, client, Duration.ofDays(1), budget);
    stream.start();
    return new Slow(client, stream);
  }

  @Test
  @Tag("A8")
  @DisplayName("given 500 slow readers, then the budget bounds what they have not read")
  void bounded() {
    var signals = 30;
    var id = large(signals);
    var limit = 8L << 20;
    var tasks = new ArrayDeque<Runnable>();
    var budget = new AnswerBudget(limit, 0, Duration.ofDays(1), tasks::add);
    var slow = new ArrayList<Slow>();
    var all = LongStream.rangeClosed(1, signals + 1).boxed().toList();
    for (var i = 0; i < 500; i++) {
      slow.add(slow(id, budget));
    }
    while (slow.stream().anyMatch(each -> !each.versions().equals(all))) {
      slow.forEach(each -> each.client().read(1));
      while (!tasks.isEmpty()) {
        tasks.remove().run();
      }
      var unsent = slow.stream().mapToLong(each -> each.stream().unsentBytes()).sum();
      assertThat(unsent)
          .isLessThanOrEqualTo(budget.bytesSending())
          .isLessThan(limit + RunEventStream.READ_BYTES + RunEventStream.UNSENT_BYTES);
    }
    assertThat(budget.bytesSending()).isZero();
  }

  @Test
  @Tag("A8")
  @Timeout(60)
  @DisplayName("given a slow reader, when its time is over, then events are read again, none lost")
  void dropped() {
    var id = large(10);
    var slow = slow(id, new AnswerBudget(8L << 20, 0, Duration.ofMillis(1), Runnable::run));
    for (var read = 1; read <= 11; read++) {
      while (slow.stream().unsentBytes() > 0) {
        Thread.onSpinWait();
      }
      slow.client().read(1);
      assertThat(slow.versions()).hasSize(read).isSorted().doesNotHaveDuplicates();
    }
  }
}
