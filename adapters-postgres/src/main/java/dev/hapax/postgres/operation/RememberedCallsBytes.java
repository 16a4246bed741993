package dev.hapax.postgres.operation;

import dev.hapax.domain.Fence;
import dev.hapax.domain.operation.RememberedCalls;
import dev.hapax.domain.operation.RememberedCalls.Kind;
import dev.hapax.postgres.read.StoredCodes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The stored form of remembered calls: one value for all failures and one for all resolutions. */
final class RememberedCallsBytes {
  private static final int FAILURE = 2 * Long.BYTES + 1;
  private static final int RESOLUTION = 2 * Long.BYTES;

  private static final StoredCodes<Kind> KINDS =
      new StoredCodes<>(Kind.class, List.of(Kind.RETRYABLE, Kind.FINAL, Kind.UNKNOWN_EFFECT));

  private RememberedCallsBytes() {}

  static byte @Nullable [] failures(RememberedCalls calls) {
    var bytes = ByteBuffer.allocate(calls.failures().size() * FAILURE);
    for (var failed : calls.failures()) {
      bytes
          .putLong(failed.nonce())
          .putLong(failed.fence().value())
          .put((byte) KINDS.code(failed.kind()));
    }
    return noneIfEmpty(bytes);
  }

  static byte @Nullable [] resolutions(RememberedCalls calls) {
    var bytes = ByteBuffer.allocate(calls.resolutions().size() * RESOLUTION);
    for (var id : calls.resolutions()) {
      bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    }
    return noneIfEmpty(bytes);
  }

  private static byte @Nullable [] noneIfEmpty(ByteBuffer written) {
    if (written.capacity() == 0) {
      return null;
    }
    var bytes = new byte[written.capacity()];
    written.flip().get(bytes);
    return bytes;
  }

  static RememberedCalls read(byte @Nullable [] failures, byte @Nullable [] resolutions) {
    var failed = new ArrayList<RememberedCalls.Failed>();
    for (var bytes = wrap(failures); bytes.hasRemaining(); ) {
      failed.add(
          new RememberedCalls.Failed(
              bytes.getLong(), new Fence(bytes.getLong()), KINDS.value(bytes.get())));
    }
    var resolved = new ArrayList<UUID>();
    for (var bytes = wrap(resolutions); bytes.hasRemaining(); ) {
      resolved.add(new UUID(bytes.getLong(), bytes.getLong()));
    }
    return new RememberedCalls(failed, resolved);
  }

  private static ByteBuffer wrap(byte @Nullable [] bytes) {
    return bytes == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(bytes);
  }
}
