package dev.hapax.grpc.call;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.v1.Claim;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads the workspace that the id of a claim names, without verifying the claim. */
public enum ClaimWorkspace {
  OPERATION("op_", 4 * Long.BYTES, false),
  TASK("task_", 3 * Long.BYTES + Short.BYTES, false),
  ACTION("action_", KeyedIds.SIGNATURE_BYTES, true),
  RECOVERY("recovery_", KeyedIds.SIGNATURE_BYTES, true);

  private final String prefix;
  private final int offset;
  private final boolean isLengthPrefixed;

  ClaimWorkspace(String prefix, int offset, boolean isLengthPrefixed) {
    this.prefix = prefix;
    this.offset = offset;
    this.isLengthPrefixed = isLengthPrefixed;
  }

  /** Returns the workspace; empty if this server made no such id. */
  public static Optional<Workspace> of(Claim claim) {
    for (var kind : values()) {
      if (claim.getId().startsWith(kind.prefix)) {
        return ClaimIdText.read(kind.prefix, claim.getId()).flatMap(kind::read);
      }
    }
    return Optional.empty();
  }

  private Optional<Workspace> read(byte[] id) {
    if (id.length < offset) {
      return Optional.empty();
    }
    try {
      return Optional.of(new Workspace(name(ByteBuffer.wrap(id).position(offset))));
    } catch (InvalidValueException | BufferUnderflowException _) {
      return Optional.empty();
    }
  }

  private String name(ByteBuffer rest) {
    return isLengthPrefixed
        ? LengthPrefixedNames.name(rest)
        : StandardCharsets.US_ASCII.decode(rest).toString();
  }
}
