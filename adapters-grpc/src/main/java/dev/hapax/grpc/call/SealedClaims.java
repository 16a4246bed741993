package dev.hapax.grpc.call;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/**
 * Encodes and decodes claims whose signed ids carry all data, since some claims are not stored. The
 * signature over fence, workspace and content prevents forged and changed claims.
 *
 * @param prefix of the ids; signed as well
 */
public record SealedClaims(KeyedIds keyedIds, String prefix) {
  public Claim write(Workspace workspace, Fence fence, byte[] content) {
    var name = LengthPrefixedNames.names(workspace.name());
    var named = ByteBuffer.allocate(name.length + content.length).put(name).put(content).array();
    var id =
        ByteBuffer.allocate(KeyedIds.SIGNATURE_BYTES + named.length)
            .put(seal(fence, named))
            .put(named);
    return Claim.newBuilder()
        .setId(ClaimIdText.print(prefix, id.array()))
        .setFence(fence.value())
        .build();
  }

  private byte[] seal(Fence fence, byte[] content) {
    var names = LengthPrefixedNames.names(prefix);
    return keyedIds.sign(
        ByteBuffer.allocate(names.length + Long.BYTES + content.length)
            .put(names)
            .putLong(fence.value())
            .put(content)
            .array());
  }

  /**
   * The signed data.
   *
   * @param workspace of the claim
   * @param content the bytes after the workspace
   */
  public record Content(Workspace workspace, ByteBuffer content) {}

  /** Decodes a claim; empty if this server never signed it with this fence. */
  public Optional<Content> read(String field, Claim sent) {
    var id = FieldReader.required(field + ".id", sent.getId());
    return ClaimIdText.read(prefix, id)
        .filter(bytes -> bytes.length > KeyedIds.SIGNATURE_BYTES)
        .flatMap(bytes -> content(new Fence(sent.getFence()), bytes));
  }

  private Optional<Content> content(Fence fence, byte[] bytes) {
    var seal = Arrays.copyOf(bytes, KeyedIds.SIGNATURE_BYTES);
    var content = Arrays.copyOfRange(bytes, KeyedIds.SIGNATURE_BYTES, bytes.length);
    return MessageDigest.isEqual(seal, seal(fence, content))
        ? Optional.of(content(ByteBuffer.wrap(content)))
        : Optional.empty();
  }

  private static Content content(ByteBuffer named) {
    return new Content(new Workspace(LengthPrefixedNames.name(named)), named);
  }
}
