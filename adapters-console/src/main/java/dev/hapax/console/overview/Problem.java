package dev.hapax.console.overview;

import dev.hapax.console.view.Moment;
import java.util.Optional;

/**
 * What does not go on by itself, with what to do.
 *
 * @param name what it is about
 * @param href the page where an operator can act; empty = there is none
 * @param sentence what is wrong
 * @param since empty = always, or unknown
 * @param advice what an operator can do
 */
public record Problem(
    String name, Optional<String> href, String sentence, Optional<Moment> since, String advice) {}
