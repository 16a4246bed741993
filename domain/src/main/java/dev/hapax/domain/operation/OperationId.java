package dev.hapax.domain.operation;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.ledger.RecordKey;
import java.util.UUID;

/**
 * The id of an operation, derived from its key by {@link KeyedIds}. Only callers with a claim know
 * it.
 */
public record OperationId(Workspace workspace, UUID hash) implements RecordKey<Operation> {}
