package dev.hapax.domain.entity;

import dev.hapax.domain.definition.DefinitionId;

/** Nothing was decided: the command lacks the definition of the after-effect. */
public record NeedsDefinition(DefinitionId definition)
    implements CompleteActionOutcome, CompleteRecoveryOutcome, ReleaseClaimOutcome {}
