package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.client.internal.SystemTiming;
import dev.hapax.v1.CompleteTaskRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.HeartbeatTasksRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RunStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Handlers run in the thread of the test, and time stands still, unless a test says otherwise. */
@Timeout(60)
class TaskInTransactionTest {

  private static final Value DONE = new Value.Json("\"done\"");

  private final TaskFixture fixture = new TaskFixture();
  private final FakeHapax<ManualTiming> hapax = fixture.hapax;
  private final FakeDatabase database = new FakeDatabase(hapax.work::completeInTransaction);
  private final List<Throwable> thrown = new ArrayList<>();

  @AfterEach
  void close() {
    fixture.close();
  }

  private interface Body {
    Object handle(Task task, Connection connection) throws Exception;
  }

  private String start(Body body) {
    var unused =
        fixture.begin(
            fixture
                .worker()
                .step(
                    "orders",
                    "order",
                    "charge",
                    task -> {
                      try (Connection connection = database.connection()) {
                        connection.setAutoCommit(false);
                        return body.handle(task, connection);
                      } catch (Exception e) {
                        thrown.add(e);
                        throw e;
                      }
                    }));
    return fixture.run("orders/charge");
  }

  private static Object commit(Task task, Connection connection) throws Exception {
    task.patchState("paid", new Value.Json("true"));
    Value sent = task.claim().completeIn(connection, DONE);
    connection.commit();
    return sent;
  }

  private void assertCompleted(String run) {
    assertThat(hapax.work.run(run).status).isEqualTo(RunStatus.RUN_STATUS_COMPLETED);
    assertThat(hapax.work.requests(CompleteTaskRequest.class)).isEmpty();
  }

  @Test
  @Tag("D20")
  @DisplayName("given a commit, then the step is completed by it, and the worker goes on")
  void committed() {
    String run = start(TaskInTransactionTest::commit);

    assertThat(database.log()).containsExactly("complete_task \"done\" {\"paid\":true}", "commit");
    assertCompleted(run);
    String next = fixture.run("orders/charge");
    assertCompleted(next);
  }

  @Test
  @Tag("D11")
  @DisplayName("given a rollback and a completion that is returned, then the attempt has failed")
  void rolledBack() {
    AtomicInteger attempts = new AtomicInteger();
    String run =
        start(
            (task, connection) -> {
              Value sent = task.claim().completeIn(connection, DONE);
              if (attempts.incrementAndGet() == 1) {
                connection.rollback();
              } else {
                connection.commit();
              }
              return sent;
            });

    assertThat(hapax.work.requests(FailTaskRequest.class).get(0).getFailure().getCode())
        .isEqualTo("NOT_COMMITTED");
    assertThat(attempts).hasValue(2);
    assertCompleted(run);
  }

  @Test
  @Tag("D17")
  @DisplayName("given a connection lost in COMMIT, when it was committed, then the step is done")
  void committedInDoubt() {
    database.commits(FakeDatabase.Commit.LOST_AFTER);

    assertCompleted(start(TaskInTransactionTest::commit));
    assertThat(thrown).hasSize(1);
  }

  @Test
  @Tag("D17")
  @DisplayName("given a connection lost in COMMIT, when it was rolled back, then it is attempted")
  void rolledBackInDoubt() {
    String run =
        start(
            (task, connection) -> {
              database.commits(
                  task.attempt() == 1 ? FakeDatabase.Commit.LOST_BEFORE : FakeDatabase.Commit.DONE);
              return commit(task, connection);
            });

    assertThat(thrown).hasSize(1);
    assertCompleted(run);
  }

  @Test
  @Tag("D17")
  @DisplayName(
      "given an attempt that was lost and not committed, then the next one does not record its"
          + " result")
  void notRecordedLater() {
    AtomicInteger attempts = new AtomicInteger();
    try (FakeHapax<SystemTiming> live = FakeHapax.live()) {
      FakeDatabase own = new FakeDatabase(live.work::completeInTransaction);
      Handler handler =
          task -> {
            Connection connection = own.connection();
            connection.setAutoCommit(false);
            Value sent = task.claim().completeIn(connection, DONE);
            if (attempts.incrementAndGet() == 1) {
              connection.rollback();
              live.work.takeAway(task.runId());
              // this worker has the next attempt, which waits for the end of this one
              Conditions.until(task.claim()::isLost);
            } else {
              connection.commit();
            }
            return sent;
          };
      Worker worker =
          Hapax.builder()
              .channel(live.channel)
              .connect()
              .worker()
              .interruptWhenLost(false)
              .step("orders", "order", "charge", handler)
              .start();
      String run = live.work.start("order", "orders/charge");
      Conditions.until(() -> live.work.run(run).status == RunStatus.RUN_STATUS_COMPLETED);
      worker.close();
      assertThat(attempts).as("the handler runs again").hasValue(2);
      assertThat(live.work.requests(CompleteTaskRequest.class)).isEmpty();
    }
  }

  @Test
  @Tag("D13")
  @DisplayName(
      "given a lost claim, then the handler gets HapaxException.ClaimLost and nothing is sent")
  void lost() {
    database.refuses("HX002");
    start(TaskInTransactionTest::commit);

    assertThat(thrown).singleElement().isInstanceOf(HapaxException.ClaimLost.class);
    assertThat(hapax.work.requests(FailTaskRequest.class)).isEmpty();
  }

  @Test
  @DisplayName("given a refusal, then it names the reason, and the attempt has failed")
  void refused() {
    database.refuses("HX005");
    start(TaskInTransactionTest::commit);

    assertThat(thrown)
        .isNotEmpty()
        .allSatisfy(refused -> assertThat(refused).isInstanceOf(HapaxException.Refused.class));
    assertThat(hapax.work.requests(FailTaskRequest.class)).hasSameSizeAs(thrown);
  }

  @Test
  @DisplayName("given a completion, then the lease is renewed before it and not after it")
  void renewals() {
    start(
        (task, connection) -> {
          fixture.advance(Duration.ofSeconds(11));
          assertThat(hapax.work.requests(HeartbeatTasksRequest.class)).isNotEmpty();
          Value sent = task.claim().completeIn(connection, DONE);
          int before = hapax.work.requests(HeartbeatTasksRequest.class).size();
          fixture.advance(Duration.ofSeconds(20));
          assertThat(hapax.work.requests(HeartbeatTasksRequest.class)).hasSize(before);
          connection.commit();
          return sent;
        });

    assertThat(thrown).isEmpty();
  }

  @Test
  @DisplayName("given a completion that SQL cannot carry, then it is rejected before it is sent")
  void unsupported() {
    start(
        (task, connection) -> {
          assertThatThrownBy(() -> task.claim().completeIn(connection, Result.skipped()))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("cannot skip or release the step");
          connection.setAutoCommit(true);
          assertThatThrownBy(() -> task.claim().completeIn(connection, DONE))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("auto-commit");
          return Result.release(Duration.ofMinutes(1));
        });

    assertThat(thrown).isEmpty();
    assertThat(database.log()).isEmpty();
    assertThat(hapax.work.requests(ReleaseTaskRequest.class)).hasSize(1);
  }
}
