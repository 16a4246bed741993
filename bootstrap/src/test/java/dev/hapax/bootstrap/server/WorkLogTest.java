package dev.hapax.bootstrap.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WorkLogTest {
  private static final RunId RUN = new RunId(Workspace.DEFAULT, new UUID(1, 2));
  private static final WorkEvent FAILED =
      new WorkEvent.RunFailed(RUN, "order", "charge", 3, "DECLINED");

  private final Logger logger = (Logger) LoggerFactory.getLogger(WorkLog.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong(-TimeUnit.SECONDS.toNanos(5));
  private final WorkLog log = new WorkLog(nanos::get);

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  private List<String> lines() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  @DisplayName("what operators search for is one line with its names")
  void lineForEach() {
    log.accept(FAILED);
    log.accept(new WorkEvent.TaskLeaseExpired(RUN, "order", "charge", 1, "worker-7"));
    log.accept(new WorkEvent.OperationLeaseExpired(Workspace.DEFAULT, "orders/Place", 1));
    log.accept(new WorkEvent.EntityLeaseExpired(Workspace.DEFAULT, "billing", "17", "ann", false));
    log.accept(new WorkEvent.EffectDeadLettered(RUN, "mail", "billing", 3, "BOUNCED"));
    log.accept(new WorkEvent.OperationIndeterminate(Workspace.DEFAULT, "orders/Place", 1));

    assertThat(lines())
        .containsExactly(
            "run FAILED: %s of definition order, step charge, attempt 3, code DECLINED, workspace default"
                .formatted(RUN.text()),
            "lease expired: run %s of definition order, step charge, attempt 1, worker worker-7, workspace default"
                .formatted(RUN.text()),
            "lease expired: operation orders/Place, attempt 1, workspace default",
            "lease expired: entity billing/17, holder ann, workspace default",
            "after-effect dead-lettered: run %s of effect mail, lifecycle billing, attempt 3, code BOUNCED, workspace default"
                .formatted(RUN.text()),
            "operation INDETERMINATE: orders/Place, attempt 1; resolve it with ResolveOperation, workspace default");
  }

  @Test
  @DisplayName(
      "given names that look like fields or reorder a line, then they are quoted [security-N2]")
  void forgedFields() {
    log.accept(
        new WorkEvent.TaskLeaseExpired(RUN, "x, step a, workspace us", "a \"b\"", 1, "w\u202Eus"));

    assertThat(lines())
        .containsExactly(
            "lease expired: run %s of definition \"x, step a, workspace us\", step \"a \\\"b\\\"\", attempt 1, worker \"w\\u202eus\", workspace default"
                .formatted(RUN.text()));
  }

  @Test
  @DisplayName("what goes well, and each single retry, is no line")
  void silent() {
    log.accept(new WorkEvent.RunEnded(RUN, "order", RunStatus.COMPLETED));
    log.accept(new WorkEvent.RetryScheduled(RUN, "order", "charge", 1, "DECLINED"));
    log.accept(
        new WorkEvent.IntentTaken(
            new IntentId(Workspace.DEFAULT, RUN.uuid()),
            new IntentOrigin(IntentVerb.CANCEL_RUN, "shop", Instant.EPOCH),
            new IntentOutcome.Cancelled(RUN)));

    assertThat(lines()).isEmpty();
  }

  @Test
  @DisplayName(
      "given many events, then 20 lines of a kind are logged in ten seconds, and the rest is counted")
  void storm() {
    for (var i = 0; i < 1_000; i++) {
      log.accept(FAILED);
    }
    log.accept(new WorkEvent.OperationIndeterminate(Workspace.DEFAULT, "orders/Place", 1));
    assertThat(lines()).hasSize(WorkLog.LINES + 1);

    nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
    log.accept(FAILED);

    assertThat(lines().subList(WorkLog.LINES + 1, lines().size()))
        .hasSize(2)
        .first()
        .isEqualTo("rate limit: suppressed 980 log lines like the next one");
  }
}
