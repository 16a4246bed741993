package dev.hapax.grpc.call;

import dev.hapax.domain.Fence;
import dev.hapax.domain.Text;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.v1.Claim;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/**
 * Claims whose ids say all there is to know, since of some nothing is stored. A seal over fence,
 * workspace and content keeps them from being made up or changed.
 *
 * @param prefix of the ids, and part of what is sealed
 */
public record SealedClaims(KeyedIds identities, String prefix) {
  /** Several names of the longest kind, in base 64. */
  private static final int MAX_LENGTH = 8 * 1024;

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
    return identities.sign(
        ByteBuffer.allocate(names.length + Long.BYTES + content.length)
            .put(names)
            .putLong(fence.value())
            .put(content)
            .array());
  }

  /**
   * What was sealed.
   *
   * @param workspace where it was granted
   * @param content all behind it
   */
  public record Content(Workspace workspace, ByteBuffer content) {}

  /** Empty if it was never sealed here, with this fence. */
  public Optional<Content> read(String field, Claim sent) {
    var id = sent.getId();
    if (!id.startsWith(prefix)) {
      FieldReader.read(field + ".id", id, Text::requiredName);
      return Optional.empty();
    }
    if (id.length() > MAX_LENGTH) {
      throw new InvalidFieldException(
          field + ".id",
          "has %d characters; at most %d are allowed".formatted(id.length(), MAX_LENGTH));
    }
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
