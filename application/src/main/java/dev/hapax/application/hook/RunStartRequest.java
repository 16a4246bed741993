package dev.hapax.application.hook;

import dev.hapax.domain.definition.DefinitionName;
import dev.hapax.domain.hook.StartRunWithHooks.Wanted;
import dev.hapax.domain.run.Actor;
import dev.hapax.domain.run.NewSignal;
import dev.hapax.domain.run.RunParameters;
import dev.hapax.domain.run.StartRun;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A caller's request to start a run.
 *
 * @param version of the definition; empty = the version registered last
 * @param startAt the earliest start; empty = at once
 * @param key the idempotency key
 * @param signal delivered to the run, or to the owner of a token
 * @param hooks the tokens that the run acquires, each once
 */
public record RunStartRequest(
    DefinitionName definition,
    Optional<String> version,
    RunParameters parameters,
    Optional<Instant> startAt,
    Optional<StartRun.Key> key,
    Optional<NewSignal> signal,
    List<Wanted> hooks,
    Actor by) {
  public RunStartRequest {
    hooks = List.copyOf(hooks);
  }
}
