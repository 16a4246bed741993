package dev.hapax.grpc.call;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** Encodes names, each after its length, for opaque tokens and claim ids. */
public final class LengthPrefixedNames {
  private LengthPrefixedNames() {}

  public static byte[] names(String... names) {
    List<byte[]> all = Stream.of(names).map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
    var bytes = ByteBuffer.allocate(all.stream().mapToInt(name -> Short.BYTES + name.length).sum());
    all.forEach(name -> bytes.putShort((short) name.length).put(name));
    return bytes.array();
  }

  /** Decodes the next name; a token that this server did not make is invalid. */
  public static String name(ByteBuffer from) {
    var length = Short.toUnsignedInt(from.getShort());
    if (length > from.remaining()) {
      throw new InvalidValueException("is truncated");
    }
    var bytes = new byte[length];
    from.get(bytes);
    return Text.requiredName(new String(bytes, StandardCharsets.UTF_8));
  }
}
