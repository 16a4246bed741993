package dev.hapax.domain.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.UUID;

/**
 * The identity of an operation, condensed by {@link KeyedIds}: whoever has it was once given a
 * claim.
 */
public record OperationId(Workspace workspace, UUID hash) implements RecordKey<Operation> {}
