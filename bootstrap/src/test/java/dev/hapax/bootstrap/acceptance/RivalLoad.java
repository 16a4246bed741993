package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Rivals for more and more keys, and a reader of them, until the load ends. */
final class RivalLoad implements AutoCloseable {
  private static final int KEYS_AT_ONCE = 60;
  private static final int RIVALS = 4;

  private final Deployment deployment;
  private final Caller caller;
  private final List<Caller> callers;
  private final History history = new History();
  private final AtomicInteger reads = new AtomicInteger();
  private final Queue<Refusal> oddities = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads;
  private volatile boolean over;

  private RivalLoad(Deployment deployment, Caller caller) {
    this.deployment = deployment;
    this.caller = caller;
    this.callers = Stream.generate(() -> caller.via(deployment.target())).limit(4).toList();
    this.threads =
        List.of(Thread.ofVirtual().start(this::compete), Thread.ofVirtual().start(this::read));
  }

  /** Rivals on four connections to the first server. */
  static RivalLoad start(Deployment deployment, Caller caller) {
    return new RivalLoad(deployment, caller);
  }

  private void compete() {
    // two waves at least: a slow one may outlast the faults
    new Rivals(callers, history).compete(2, KEYS_AT_ONCE, RIVALS, () -> over);
  }

  /** Asks for lists and single operations all the while. */
  private void read() {
    while (!over) {
      ask(() -> caller.calls().listOperations(caller.list().build()));
      ask(() -> caller.get("wave-0-0"));
    }
  }

  private void ask(Runnable question) {
    try {
      question.run();
      reads.incrementAndGet();
    } catch (StatusRuntimeException e) {
      var refusal = Refusal.of(e);
      if (refusal.code() != Code.UNAVAILABLE && refusal.code() != Code.NOT_FOUND) {
        oddities.add(refusal);
      }
    }
  }

  /** How many completions were acknowledged. */
  long accepted() {
    return history.accepted();
  }

  int timesUnavailable() {
    return history.timesUnavailable();
  }

  /** Waits until all is done, and checks that each key was completed once, as its rivals know. */
  void finish(int faults) {
    over = true;
    Rivals.join(threads);
    assertThat(history.violations()).isEmpty();
    assertThat(oddities).isEmpty();
    for (var key : history.keys()) {
      assertThat(caller.get(key).getResult().getJson()).isEqualTo(history.result(key));
    }
    assertThat(deployment.rows()).isEqualTo(history.keys().size());
    // or nothing was tried
    assertThat(history.accepted()).isGreaterThan(KEYS_AT_ONCE);
    assertThat(history.takeOvers()).isPositive();
    assertThat(history.refusals()).isPositive();
    assertThat(reads).hasValueGreaterThan(faults);
    // mostly it was not committed; ConnectionLostIT makes sure of both
    deployment.server().awaitError(line -> line.contains("connection was lost at commit"));
  }

  @Override
  public void close() {
    over = true;
    callers.forEach(Caller::close);
  }
}
