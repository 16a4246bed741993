package dev.hapax.console.overview;

import dev.hapax.console.view.DisplayTime;
import java.time.Instant;
import java.util.Optional;

/**
 * A line of what does not go on by itself, with what to do.
 *
 * @param name what it is about
 * @param href the page where an operator can act
 * @param sentence what is wrong
 * @param since empty = always, or unknown
 * @param advice what an operator can do
 */
public record StuckLine(
    String name, String href, String sentence, Optional<DisplayTime> since, String advice) {

  /** The oldest first; without a time is always. */
  Instant order() {
    return since.map(DisplayTime::at).orElse(Instant.EPOCH);
  }
}
