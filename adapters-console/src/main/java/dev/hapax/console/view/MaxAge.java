package dev.hapax.console.view;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How old the items of a list are at most.
 *
 * @param word the age in an address; empty = any
 */
public record MaxAge(String word) {
  /** The field of an address that has it. */
  public static final String FIELD = "since";

  public static final MaxAge ANY = new MaxAge("");

  private static final Map<String, Duration> CHOICES = choicesByWord();

  private static Map<String, Duration> choicesByWord() {
    var choices = new LinkedHashMap<String, Duration>();
    choices.put("15m", Duration.ofMinutes(15));
    choices.put("1h", Duration.ofHours(1));
    choices.put("1d", Duration.ofDays(1));
    choices.put("7d", Duration.ofDays(7));
    choices.put("30d", Duration.ofDays(30));
    return choices;
  }

  /** Reads the field of an address; an unknown age is any. */
  public static MaxAge read(String word) {
    return CHOICES.containsKey(word) ? new MaxAge(word) : ANY;
  }

  public static List<String> choices() {
    return List.copyOf(CHOICES.keySet());
  }

  public boolean isAny() {
    return word.isEmpty();
  }

  /** The time of the oldest item; empty = any. */
  public Optional<Timestamp> from(Instant now) {
    return Optional.ofNullable(CHOICES.get(word)).map(now::minus).map(MaxAge::timestamp);
  }

  private static Timestamp timestamp(Instant at) {
    return Timestamp.newBuilder().setSeconds(at.getEpochSecond()).setNanos(at.getNano()).build();
  }
}
