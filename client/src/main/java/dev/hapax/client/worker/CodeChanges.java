package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the policy of a worker for runs that its code does not fit. Thread-safe. */
final class CodeChanges {

  private static final Logger log = LoggerFactory.getLogger(CodeChanges.class);
  private static final int MAX_NAMES = 10;
  private static final int KEPT = 10_000;

  private final ReleaseBackoff releases = new ReleaseBackoff();
  private final Set<String> warned =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > KEPT;
                }
              }));
  private OnCodeChange policy = OnCodeChange.RELEASE;

  void policy(OnCodeChange policy) {
    this.policy = policy;
  }

  /**
   * Decides about code that does not fit.
   *
   * @param leftOver the records that it has not asked for
   * @param next the part or wait that it asks for
   * @return empty = the code continues
   * @throws FinalFailure if the policy is to fail
   */
  Optional<ExecutionEnd> found(String runId, List<String> leftOver, String next) {
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
        Release release = Release.after(releases.next(runId)).because("CODE_CHANGED", text);
        log.warn("run {} is released, as its code has changed: {}", runId, text);
        yield Optional.of(new ExecutionEnd.Released(release));
      }
      case FAIL -> throw new FinalFailure("STEP_CHANGED", text);
      case WARN -> {
        if (warned.add(runId)) {
          log.warn("the code of run {} has changed: {}", runId, text);
        }
        yield Optional.empty();
      }
    };
  }
}
