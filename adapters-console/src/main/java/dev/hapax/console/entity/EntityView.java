package dev.hapax.console.entity;

import dev.hapax.console.lifecycle.LifecycleDrawing;
import dev.hapax.console.view.DisplayTime;
import dev.hapax.console.view.Fact;
import dev.hapax.v1.Entity;
import java.util.List;
import java.util.Optional;

/**
 * An entity with all that its page shows.
 *
 * @param verbs what the visitor may do with it now
 * @param since since when it is held; empty = it is free
 * @param leaseUntil when the lease of the claim ends or ended
 * @param claim the other values of the claim
 * @param drawing its lifecycle; empty = the server no longer has it
 * @param runsHref the runs that its after-effects are
 */
public record EntityView(
    Entity entity,
    String href,
    String lifecycleHref,
    List<ReleaseVerb> verbs,
    ClaimPhase phase,
    Optional<DisplayTime> since,
    Optional<DisplayTime> leaseUntil,
    List<Fact> claim,
    Optional<LifecycleDrawing> drawing,
    String runsHref,
    List<Fact> facts,
    EntityHistoryPart history) {}
