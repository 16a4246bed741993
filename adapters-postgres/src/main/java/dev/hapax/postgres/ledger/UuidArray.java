package dev.hapax.postgres.ledger;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.Oid;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * A {@code uuid[]} as PostgreSQL receives it in binary. The driver prints the elements of such an
 * array, and PostgreSQL parses them; every row of a batch has two or three.
 */
public final class UuidArray extends PGobject implements PGBinaryObject {
  /**
   * A value of the driver's property {@code binaryTransferEnable}; without it the arrays are sent
   * as text.
   */
  public static final String BINARY = "UUID_ARRAY";

  private static final long serialVersionUID = 1;
  private static final int NULL = -1;
  private static final int HEADER = 5 * Integer.BYTES;
  private static final int UUID_BYTES = 2 * Long.BYTES;

  private final @Nullable UUID[] elements;

  UuidArray(@Nullable UUID[] elements) {
    this.elements = elements;
    setType("_uuid");
  }

  @Override
  public void setByteValue(byte[] value, int offset) {
    throw new UnsupportedOperationException("uuid arrays are only sent");
  }

  @Override
  public int lengthInBytes() {
    var some = (int) Arrays.stream(elements).filter(Objects::nonNull).count();
    return HEADER + elements.length * Integer.BYTES + some * UUID_BYTES;
  }

  /** One dimension, which begins at 1; each element behind its length. */
  @Override
  public void toBytes(byte[] bytes, int offset) {
    var buffer = ByteBuffer.wrap(bytes, offset, bytes.length - offset);
    var hasNull = Arrays.stream(elements).anyMatch(Objects::isNull) ? 1 : 0;
    buffer.putInt(1).putInt(hasNull).putInt(Oid.UUID).putInt(elements.length).putInt(1);
    for (var uuid : elements) {
      if (uuid == null) {
        buffer.putInt(NULL);
      } else {
        buffer.putInt(UUID_BYTES);
        buffer.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
      }
    }
  }

  /** As text, for connections that do not send arrays of this type in binary. */
  @Override
  public String getValue() {
    return Arrays.stream(elements)
        .map(uuid -> uuid == null ? "NULL" : uuid.toString())
        .collect(Collectors.joining(",", "{", "}"));
  }
}
