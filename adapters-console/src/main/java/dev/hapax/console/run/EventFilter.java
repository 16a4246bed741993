package dev.hapax.console.run;

import dev.hapax.v1.RunEvent;
import java.util.Arrays;
import java.util.Locale;

/** Which events of a history are shown. */
public enum EventFilter {
  ALL("all"),
  STEPS("steps"),
  FAILURES("failures"),
  SIGNALS("signals and hooks"),
  OPERATORS("operators");

  private final String title;

  EventFilter(String title) {
    this.title = title;
  }

  public String title() {
    return title;
  }

  /** The value of the field {@code events} in an address. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static EventFilter of(String word) {
    return Arrays.stream(values())
        .filter(filter -> filter.word().equals(word))
        .findFirst()
        .orElse(ALL);
  }

  boolean shows(RunEvent event) {
    return switch (event.getType()) {
      case RUN_EVENT_TYPE_CREATED, RUN_EVENT_TYPE_COMPLETED -> this == ALL;
      case RUN_EVENT_TYPE_STEP_STARTED,
          RUN_EVENT_TYPE_STEP_COMPLETED,
          RUN_EVENT_TYPE_STEP_SKIPPED,
          RUN_EVENT_TYPE_STEP_SUSPENDED,
          RUN_EVENT_TYPE_STEP_RESUMED,
          RUN_EVENT_TYPE_STEP_RECORDED,
          RUN_EVENT_TYPE_PART_BEGUN ->
          this == ALL || this == STEPS;
      case RUN_EVENT_TYPE_STEP_FAILED,
          RUN_EVENT_TYPE_RETRY_SCHEDULED,
          RUN_EVENT_TYPE_LEASE_LOST,
          RUN_EVENT_TYPE_LEASE_GIVEN_BACK,
          RUN_EVENT_TYPE_PART_FAILED ->
          this == ALL || this == STEPS || this == FAILURES;
      case RUN_EVENT_TYPE_FAILED -> this == ALL || this == FAILURES;
      case RUN_EVENT_TYPE_SIGNAL_RECEIVED,
          RUN_EVENT_TYPE_HOOK_CREATED,
          RUN_EVENT_TYPE_HOOK_DISPOSED,
          RUN_EVENT_TYPE_SUPERSEDED,
          RUN_EVENT_TYPE_BLOCKED,
          RUN_EVENT_TYPE_ADMITTED ->
          this == ALL || this == SIGNALS;
      case RUN_EVENT_TYPE_PAUSED,
          RUN_EVENT_TYPE_RESUMED,
          RUN_EVENT_TYPE_RETRIED,
          RUN_EVENT_TYPE_STEP_SETTLED,
          RUN_EVENT_TYPE_CANCELLED ->
          this == ALL || this == OPERATORS;
      case RUN_EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> this == ALL;
    };
  }
}
