package dev.hapax.grpc.call;

import dev.hapax.domain.InvalidValueException;
import dev.hapax.domain.Text;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** Names in a row, each behind its length: for what callers send back and do not look into. */
public final class LengthPrefixedNames {
  private LengthPrefixedNames() {}

  public static byte[] names(String... names) {
    List<byte[]> all = Stream.of(names).map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
    var bytes = ByteBuffer.allocate(all.stream().mapToInt(name -> Short.BYTES + name.length).sum());
    all.forEach(name -> bytes.putShort((short) name.length).put(name));
    return bytes.array();
  }

  /** The next one, or a violation: nothing but names is written so. */
  public static String name(ByteBuffer from) {
    var length = Short.toUnsignedInt(from.getShort());
    if (length > from.remaining()) {
      throw new InvalidValueException("is cut");
    }
    var bytes = new byte[length];
    from.get(bytes);
    return Text.requiredName(new String(bytes, StandardCharsets.UTF_8));
  }
}
