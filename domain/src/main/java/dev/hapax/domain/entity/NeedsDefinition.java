package dev.hapax.domain.entity;

import dev.hapax.domain.definition.DefinitionId;

/** Nothing was decided: the after-effect follows this definition, which was not named. */
public record NeedsDefinition(DefinitionId definition)
    implements CompleteActionOutcome, CompleteRecoveryOutcome, ReleaseClaimOutcome {}
