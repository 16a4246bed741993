package dev.hapax.grpc.definition;

import dev.hapax.application.definition.Definitions;
import dev.hapax.domain.definition.RegisterDefinition;
import dev.hapax.domain.definition.RegisterOutcome;
import dev.hapax.domain.definition.StepDefinition;
import dev.hapax.domain.run.PartsGate;
import dev.hapax.domain.run.TurnsGate;
import dev.hapax.grpc.call.GatedFeature;
import dev.hapax.grpc.call.GatedParts;
import java.util.concurrent.CompletableFuture;

/**
 * Registers definitions, from calls and files, unless a server works that does not know all of
 * them.
 */
public record GatedRegistrations(Definitions definitions, GatedParts parts, GatedFeature turns) {
  public GatedRegistrations(Definitions definitions, PartsGate parts, TurnsGate turns) {
    this(
        definitions,
        new GatedParts(parts),
        new GatedFeature(turns::open, "times of attempts and runs, and limits"));
  }

  public CompletableFuture<RegisterOutcome> register(RegisterDefinition command) {
    var needsParts = command.steps().stream().anyMatch(StepDefinition::needsParts);
    return needsParts || command.needsTurns()
        ? definitions
            .find(command.id())
            .thenCompose(
                known ->
                    // a known version is compared only: a server may start again beside an older
                    // one
                    known.isPresent()
                        ? definitions.register(command)
                        : registerNew(command, needsParts))
        : definitions.register(command);
  }

  private CompletableFuture<RegisterOutcome> registerNew(
      RegisterDefinition command, boolean needsParts) {
    return parts.call(
        needsParts, () -> turns.call(command.needsTurns(), () -> definitions.register(command)));
  }
}
