package dev.hapax.grpc.call;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.v1.Claim;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The kinds of claims, with the layout of their ids: a prefix, and where the workspace begins. */
public enum ClaimKind {
  OPERATION("op_", 4 * Long.BYTES, false),
  TASK("task_", 3 * Long.BYTES + Short.BYTES, false),
  ACTION("action_", KeyedIds.SIGNATURE_BYTES, true),
  RECOVERY("recovery_", KeyedIds.SIGNATURE_BYTES, true);

  private final String prefix;
  private final int offset;
  private final boolean isLengthPrefixed;

  ClaimKind(String prefix, int offset, boolean isLengthPrefixed) {
    this.prefix = prefix;
    this.offset = offset;
    this.isLengthPrefixed = isLengthPrefixed;
  }

  /** The text before the encoded bytes. */
  public String prefix() {
    return prefix;
  }

  /** The number of bytes before the workspace. */
  public int offset() {
    return offset;
  }

  /** Returns the workspace of a claim that is not verified; empty if no server made such an id. */
  public static Optional<Workspace> workspaceOf(Claim claim) {
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
