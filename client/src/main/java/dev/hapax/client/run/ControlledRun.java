package dev.hapax.client.run;

import dev.hapax.v1.Run;

/**
 * A run after a cancel, pause, resume or retry.
 *
 * @param already the run was in the requested state before, or an earlier request with this id
 *     retried it; the call changed nothing
 */
public record ControlledRun(Run run, boolean already) {}
