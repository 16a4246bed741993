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

/** The recorded steps of a code step, from this execution and earlier ones. */
final class RecordedSteps {

  private static final int NAME_CHARACTERS = 100;

  private final StepRecorder recorder;
  private final boolean more;
  private final Map<String, Payload> known = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  RecordedSteps(Task task, StepRecorder recorder) {
    this.recorder = recorder;
    this.more = task.getMoreRecorded();
    for (RecordedStep step : task.getRecordedList()) {
      known.put(step.getName(), step.getOutput());
    }
  }

  /**
   * The output recorded by an earlier execution. Queries Hapax only if the task could not carry all
   * records.
   */
  Optional<Payload> find(String name) {
    use(name);
    Payload before = known.get(name);
    return before == null && more ? recorder.find(name) : Optional.ofNullable(before);
  }

  private synchronized void use(String name) {
    if (name.isEmpty() || name.codePointCount(0, name.length()) > NAME_CHARACTERS) {
      throw new FinalFailure(
          "STEP_NAME_INVALID", "step name must have 1 to 100 characters (was " + name + ")");
    }
    if (!used.add(name)) {
      throw new FinalFailure(
          "STEP_NAME_REUSED", "step name must be unique in an execution: " + name);
    }
  }

  /** Records an output and returns the recorded one: this, or that of an earlier execution. */
  Payload record(String name, Payload output, List<String> consumed) {
    return recorder.record(name, output, consumed);
  }
}
