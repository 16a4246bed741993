package dev.hapax.application.hook;

import dev.hapax.domain.run.Run;
import java.util.Optional;

/**
 * The result of a request to start a run and to wait for its end.
 *
 * @param run the run that answers the request, at the end of the wait; empty = there was no wait
 */
public record AwaitedStart(RunStartResult result, Optional<Run> run) {}
