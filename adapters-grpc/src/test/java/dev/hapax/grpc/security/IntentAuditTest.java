package dev.hapax.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.intent.IntentError;
import dev.hapax.domain.intent.IntentId;
import dev.hapax.domain.intent.IntentOrigin;
import dev.hapax.domain.intent.IntentOutcome;
import dev.hapax.domain.intent.IntentVerb;
import dev.hapax.domain.monitoring.WorkEvent;
import dev.hapax.domain.run.RunId;
import dev.hapax.domain.run.RunStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.slf4j.LoggerFactory;

class IntentAuditTest {
  private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
  private static final RunId RUN = new RunId(Workspace.DEFAULT, new UUID(1, 2));
  private static final IntentId INTENT = new IntentId(Workspace.DEFAULT, new UUID(3, 4));

  private final Logger logger = (Logger) LoggerFactory.getLogger("hapax.audit");
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final IntentAudit audit = new IntentAudit(new AuditLog(() -> NOW));

  @BeforeEach
  void listen() {
    logger.setLevel(Level.INFO);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  private List<String> taken(IntentVerb verb, IntentOutcome outcome) {
    audit.accept(new WorkEvent.IntentTaken(INTENT, new IntentOrigin(verb, "shop", NOW), outcome));
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  private static String line(String subject, String code, String reason) {
    return ("{\"ts\":\"2026-11-22T12:00:00Z\",\"principal\":\"sql:shop\",\"api_key_id\":\"\","
            + "\"address\":\"\",\"method\":\"hapax.cancel_run\",\"workspace\":\"default\","
            + "\"subject\":{%s\"ticket\":\"%s\"},\"request_id\":\"\","
            + "\"code\":\"%s\",\"reason\":\"%s\"}")
        .formatted(subject, INTENT.ticket(IntentVerb.CANCEL_RUN), code, reason);
  }

  private static String run() {
    return "\"run_id\":\"%s\",".formatted(RUN.text());
  }

  @Test
  @DisplayName("given a cancellation in SQL, then its line names the role, the run and the ticket")
  void cancelled() {
    assertThat(taken(IntentVerb.CANCEL_RUN, new IntentOutcome.Cancelled(RUN)))
        .containsExactly(line(run(), "OK", ""));
  }

  @Test
  @DisplayName("given a cancellation that fails, then its line has the code and reason of the call")
  void failed() {
    var ended =
        new IntentOutcome.Failed(
            IntentError.ILLEGAL_TRANSITION, Optional.of(RUN), RunStatus.COMPLETED.name());
    assertThat(taken(IntentVerb.CANCEL_RUN, ended))
        .containsExactly(line(run(), "FAILED_PRECONDITION", "ILLEGAL_TRANSITION"));
  }

  @Test
  @DisplayName("given a cancellation that cannot be read, then its line says no value of it")
  void malformed() {
    var malformed =
        new IntentOutcome.Failed(
            IntentError.INVALID_ARGUMENT, Optional.empty(), "run_id marker is no id");
    assertThat(taken(IntentVerb.CANCEL_RUN, malformed))
        .containsExactly(line("", "INVALID_ARGUMENT", "INVALID_FIELD"));
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "CANCEL_RUN")
  @DisplayName("given an intent whose call is not audited, then it has no line")
  void others(IntentVerb verb) {
    assertThat(taken(verb, new IntentOutcome.Completed(Optional.of(RUN)))).isEmpty();
  }
}
