package dev.hapax.client;

import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import java.time.Duration;

/**
 * A limit of how many runs may be at the steps that name it: in the queue, or held by a worker. A
 * run that reaches such a step waits in line until there is room. Or a limit of how many runs of
 * the definitions that name it may have started and not ended: a run waits before it starts. {@link
 * Limits} changes the number at once. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * step -> step.limits(Limit.of("openai").input("/tenant").maxRunning(5))
 * }</pre>
 */
public final class Limit {

  static final int MOST_RUNNING = 1_000;
  static final int MOST_STARTS = 10_000;
  static final Duration LEAST_PER = Duration.ofSeconds(1);
  static final Duration MOST_PER = Duration.ofHours(24);

  private final dev.hapax.v1.Limit message;

  private Limit(dev.hapax.v1.Limit.Builder message) {
    this.message = message.build();
  }

  /**
   * Returns a limit that all runs share. It needs {@link #maxRunning} or {@link #maxStarts}.
   *
   * @param name which all steps of the workspace share that name it, and so do all definitions; 1
   *     to 255 characters
   */
  public static Limit of(String name) {
    return new Limit(dev.hapax.v1.Limit.newBuilder().setName(KeyText.required("name", name)));
  }

  /**
   * Gives each value in the inputs of the runs a number and a line of its own. Runs without a value
   * share one.
   *
   * @param pointer a JSON pointer into the input, such as {@code /tenant}; 1 to 255 characters
   */
  public Limit input(String pointer) {
    return new Limit(message.toBuilder().setInput(KeyText.required("input", pointer)));
  }

  /** As {@link #input}, by the values of a label of the runs. 1 to 255 characters. */
  public Limit label(String name) {
    return new Limit(message.toBuilder().setLabel(KeyText.required("label", name)));
  }

  /** Sets the number of runs of each value. 1 to 1,000. */
  public Limit maxRunning(int runs) {
    return new Limit(
        message.toBuilder().setMaxRunning(Ranges.within("maxRunning", runs, 1, MOST_RUNNING)));
  }

  /**
   * Sets how many runs of each value enter the queue, or start, in a time, evenly.
   *
   * @param starts 1 to 10,000
   * @param per 1 s to 24 h
   */
  public Limit maxStarts(int starts, Duration per) {
    return new Limit(
        message.toBuilder()
            .setMaxStarts(Ranges.within("maxStarts", starts, 1, MOST_STARTS))
            .setPer(ProtoTimes.toProto(Ranges.within("per", per, LEAST_PER, MOST_PER))));
  }

  dev.hapax.v1.Limit toProto() {
    return message;
  }
}
