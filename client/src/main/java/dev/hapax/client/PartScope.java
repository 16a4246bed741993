package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.v1.PartRecord;
import dev.hapax.v1.Payload;
import dev.hapax.v1.RecordedStep;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The names of the parts of an execution, or of a branch of it, and which of them overlap. */
final class PartScope {

  private static final int NAME_CHARACTERS = 255;

  private final String prefix;
  private final KnownParts known;

  // guarded by this
  private final Map<String, Integer> uses = new HashMap<>();
  private final Map<String, Use> last = new HashMap<>();
  private final Set<Use> inFlight = new HashSet<>();

  /**
   * @param prefix of the full names: empty, or that of a branch with a {@code /} at its end
   */
  PartScope(String prefix, KnownParts known) {
    this.prefix = prefix;
    this.known = known;
  }

  /** A use of a name, from the call for it to its end. */
  final class Use implements AutoCloseable {
    private final String name;
    private volatile boolean overlapped;

    private Use(String name, boolean overlapped) {
      this.name = name;
      this.overlapped = overlapped;
    }

    /** The full name. */
    String name() {
      return name;
    }

    /** Whether another part of the scope was in flight meanwhile. */
    boolean isOverlapped() {
      return overlapped;
    }

    /**
     * The record of this name.
     *
     * @throws FinalFailure if it is the record of a wait and the code asks for a part, or the
     *     reverse
     */
    Optional<RecordedStep> find(boolean isWait) {
      Optional<RecordedStep> found = known.find(name);
      found.ifPresent(record -> check(record, isWait));
      return found;
    }

    private void check(RecordedStep record, boolean isWait) {
      if (record.getIsWait() != isWait) {
        throw new FinalFailure(
            "STEP_CHANGED",
            "the record `%s` is %s; keep the names of parts and waits stable"
                .formatted(name, isWait ? "a part, not a wait" : "a wait, not a part"));
      }
      overlapped |= record.getOverlapped();
    }

    /** The record of the part with its output. */
    PartRecord record(Payload output) {
      return PartRecord.newBuilder()
          .setName(name)
          .setOutput(output)
          .setOverlapped(overlapped)
          .build();
    }

    @Override
    public void close() {
      end(this);
    }
  }

  /**
   * Begins a use of a name that the code chose.
   *
   * @throws FinalFailure if the name is not valid, or ambiguous
   */
  synchronized Use begin(String name) {
    int number = uses.merge(checked(name), 1, Integer::sum);
    String full = checkedLength(prefix + (number == 1 ? name : name + "#" + number));
    Use before = last.get(name);
    if (number > 1 && (!inFlight.isEmpty() || (before != null && before.overlapped))) {
      throw ambiguous(full);
    }
    Use use = new Use(full, !inFlight.isEmpty());
    last.put(name, use);
    return started(use);
  }

  /**
   * Begins the use of a name of the client, which may contain {@code /} and occurs once.
   *
   * @throws FinalFailure if it occurs again
   */
  synchronized Use beginInternal(String name) {
    Use use = new Use(checkedLength(prefix + name), !inFlight.isEmpty());
    started(use);
    if (uses.merge(name, 1, Integer::sum) > 1) {
      inFlight.remove(use);
      throw new FinalFailure(
          "STEP_NAME_REUSED", "it must be asked for once in an execution: " + name);
    }
    return use;
  }

  private Use started(Use use) {
    known.ask(use.name);
    inFlight.forEach(other -> other.overlapped = true);
    inFlight.add(use);
    return use;
  }

  private synchronized void end(Use use) {
    inFlight.remove(use);
  }

  /** The full name of another record of this scope. */
  String fullName(String name) {
    return checkedLength(prefix + name);
  }

  String prefix() {
    return prefix;
  }

  /** Returns a name that follows the rule. */
  static String checked(String name) {
    try {
      return KeyText.part("the name of a part", name);
    } catch (IllegalArgumentException invalid) {
      throw new FinalFailure("STEP_NAME_INVALID", String.valueOf(invalid.getMessage()), invalid);
    }
  }

  private static String checkedLength(String full) {
    int length = full.codePointCount(0, full.length());
    if (length > NAME_CHARACTERS) {
      throw new FinalFailure(
          "STEP_NAME_INVALID",
          "the full name of a part must have at most 255 characters (had " + length + "): " + full);
    }
    return full;
  }

  private static FinalFailure ambiguous(String name) {
    return new FinalFailure(
        "STEP_NAME_AMBIGUOUS",
        "`%s` repeats a name beside other parts that run at the same time, so their order could"
                .formatted(name)
            + " change; use different names, or map()");
  }
}
