package dev.hapax.grpc.call;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.Identities;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Claims whose ids say all there is to know, since of some nothing is stored. A seal over
 * workspace, fence and content keeps them from being made up or changed.
 *
 * @param prefix of the ids, and part of what is sealed
 */
public record SealedClaims(Identities identities, String prefix) {
  /** Several names of the longest kind, in base 64. */
  private static final int MAX_LENGTH = 8 * 1024;

  public Claim write(Workspace workspace, Fence fence, byte[] content) {
    var id =
        ByteBuffer.allocate(Identities.SEAL_BYTES + content.length)
            .put(seal(workspace, fence, content))
            .put(content);
    return Claim.newBuilder()
        .setId(prefix + Base64.getUrlEncoder().withoutPadding().encodeToString(id.array()))
        .setFence(fence.value())
        .build();
  }

  private byte[] seal(Workspace workspace, Fence fence, byte[] content) {
    var names = Packed.names(prefix, workspace.name());
    return identities.seal(
        ByteBuffer.allocate(names.length + Long.BYTES + content.length)
            .put(names)
            .putLong(fence.value())
            .put(content)
            .array());
  }

  /** The content; empty if it was never sealed here, for this workspace and fence. */
  public Optional<ByteBuffer> read(String field, Workspace workspace, Claim sent) {
    var id = sent.getId();
    if (!id.startsWith(prefix)) {
      Fields.read(field + ".id", id, Text::requiredName);
      return Optional.empty();
    }
    if (id.length() > MAX_LENGTH) {
      throw new InvalidFieldException(
          field + ".id",
          "has %d characters; at most %d are allowed".formatted(id.length(), MAX_LENGTH));
    }
    return decoded(id.substring(prefix.length()))
        .filter(bytes -> bytes.length > Identities.SEAL_BYTES)
        .flatMap(bytes -> content(workspace, new Fence(sent.getFence()), bytes));
  }

  private static Optional<byte[]> decoded(String text) {
    try {
      return Optional.of(Base64.getUrlDecoder().decode(text.getBytes(StandardCharsets.UTF_8)));
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private Optional<ByteBuffer> content(Workspace workspace, Fence fence, byte[] bytes) {
    var seal = Arrays.copyOf(bytes, Identities.SEAL_BYTES);
    var content = Arrays.copyOfRange(bytes, Identities.SEAL_BYTES, bytes.length);
    return MessageDigest.isEqual(seal, seal(workspace, fence, content))
        ? Optional.of(ByteBuffer.wrap(content))
        : Optional.empty();
  }
}
