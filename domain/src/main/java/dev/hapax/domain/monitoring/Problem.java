package dev.hapax.domain.monitoring;

import dev.hapax.domain.definition.DefinitionId;
import dev.hapax.domain.intent.IntentVerb;
import java.time.Instant;

/** Items that do not go on by themselves and have the same cause, as far as their names tell. */
public record Problem(Cause cause, Tally tally) {
  /** What they have in common. */
  public sealed interface Cause {
    /** It is unknown whether the operations took effect. */
    record OperationsInDoubt(String operation) implements Cause {}

    /** The leases have expired, and no call has taken the operations over. */
    record OperationsAbandoned(String operation) implements Cause {}

    /** The leases have expired, and nothing has freed the entities. */
    record EntitiesAbandoned(String lifecycle, String action) implements Cause {}

    /** The runs have failed at a step. */
    record RunsFailed(AtStep at, String code) implements Cause {}

    /** It is unknown whether a step of the runs had its effect. */
    record StepsInDoubt(AtStep at) implements Cause {}

    /** The intents were refused when they were taken. */
    record IntentsRefused(IntentVerb verb, String reason) implements Cause {}
  }

  /** The step at which runs are. */
  public record AtStep(DefinitionId definition, int step) {}

  /**
   * How many items there are, and since when.
   *
   * @param truncated there are more, and the first of them may be older
   * @param first when the first one ended, or its lease expired
   * @param lastHour how many are from the last hour
   */
  public record Tally(int number, boolean truncated, Instant first, Instant last, int lastHour) {}
}
