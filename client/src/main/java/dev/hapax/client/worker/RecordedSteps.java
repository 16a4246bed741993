package dev.hapax.client.worker;

import dev.hapax.client.FinalFailure;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import dev.hapax.v1.Task;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the body of one code step has recorded, in this execution and before. */
final class RecordedSteps {

  private static final int NAME_CHARACTERS = 100;

  private final StepRecorder recording;
  private final boolean more;
  private final Map<String, Payload> known = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  RecordedSteps(Task task, StepRecorder recording) {
    this.recording = recording;
    this.more = task.getMoreRecorded();
    for (RecordedStep step : task.getRecordedList()) {
      known.put(step.getName(), step.getOutput());
    }
  }

  /**
   * What was recorded under the name in an execution before. Hapax is asked only where the task
   * said that there is more than it had room for.
   */
  Optional<Payload> find(String name) {
    use(name);
    Payload before = known.get(name);
    return before == null && more ? recording.find(name) : Optional.ofNullable(before);
  }

  private synchronized void use(String name) {
    if (name.isEmpty() || name.codePointCount(0, name.length()) > NAME_CHARACTERS) {
      throw new FinalFailure(
          "STEP_NAME_INVALID", "a step's name has 1 to 100 characters, not: " + name);
    }
    if (!used.add(name)) {
      throw new FinalFailure(
          "STEP_NAME_REUSED", "two steps of one execution have the name " + name);
    }
  }

  /** Records it and returns what is recorded: this, unless something was before. */
  Payload record(String name, Payload output, List<String> consumed) {
    return recording.record(name, output, consumed);
  }
}
