package dev.hapax.client;

import dev.hapax.client.internal.FailureText;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the policy of a worker for runs that its code does not fit. Thread-safe. */
final class CodeChanges {

  private static final Logger log = LoggerFactory.getLogger(CodeChanges.class);
  private static final int MAX_NAMES = 10;

  private final OnCodeChange policy;
  private final ReleaseDelays delays = new ReleaseDelays();
  private final Set<String> warned = Recent.set();

  CodeChanges(OnCodeChange policy) {
    this.policy = policy;
  }

  /**
   * Decides about code that does not fit.
   *
   * @param leftOver the records that it has not asked for
   * @param next the part or wait that it asks for
   * @return null = the code continues
   * @throws FinalFailure if the policy is to fail
   */
  @Nullable ExecutionEnd found(String runId, List<String> leftOver, String next) {
    String names =
        leftOver.stream()
            .limit(MAX_NAMES)
            .map(name -> "`" + name + "`")
            .collect(Collectors.joining(", "));
    String text =
        "records %s %s not asked for before `%s`"
            .formatted(names, leftOver.size() == 1 ? "is" : "are", next);
    return switch (policy) {
      case RELEASE -> {
        Duration delay = delays.next(runId);
        log.warn("run {} is released, as its code has changed: {}", runId, text);
        yield new ExecutionEnd.Released(delay, FailureText.describe("CODE_CHANGED", text));
      }
      case FAIL -> throw new FinalFailure("STEP_CHANGED", text);
      case WARN -> {
        if (warned.add(runId)) {
          log.warn("the code of run {} has changed: {}", runId, text);
        }
        yield null;
      }
    };
  }
}
