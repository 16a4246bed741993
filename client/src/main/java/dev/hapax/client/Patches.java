package dev.hapax.client;

import dev.hapax.v1.PartRecord;
import dev.hapax.v1.Payload;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The changes of the code that a run has; see {@link Task#patched}. */
final class Patches {

  private static final Payload TRUE = Payloads.json("true");

  private final Execution execution;
  private final String prefix;
  private final Map<String, Boolean> asked = new ConcurrentHashMap<>();

  /**
   * @param prefix of the names of the branch; empty = none
   */
  Patches(Execution execution, String prefix) {
    this.execution = execution;
    this.prefix = prefix;
  }

  /** Whether the run has the change, which is recorded under this name. */
  boolean has(String name) {
    execution.beginPart();
    try {
      return asked.computeIfAbsent(name, this::decide);
    } finally {
      execution.endPart();
    }
  }

  private boolean decide(String name) {
    if (execution.known().find(name).isPresent()) {
      return true;
    }
    boolean fits = execution.known().leftOver(prefix).isEmpty();
    if (fits) {
      var unused =
          execution
              .reports()
              .report(
                  PartRecord.newBuilder()
                      .setName(name)
                      .setOutput(TRUE)
                      .setOverlapped(true)
                      .build());
    }
    return fits;
  }
}
