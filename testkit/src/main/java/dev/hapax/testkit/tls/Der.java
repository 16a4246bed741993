package dev.hapax.testkit.tls;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/** Writes the parts of ASN.1 DER that certificates need. */
final class Der {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int LONG_FORM = 0x80;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] tagged(int tag, byte[]... contents) {
    var content = new ByteArrayOutputStream();
    Arrays.stream(contents).forEach(content::writeBytes);
    var result = new ByteArrayOutputStream();
    result.write(tag);
    var length = BigInteger.valueOf(content.size()).toByteArray();
    if (content.size() >= LONG_FORM) {
      // without the sign that BigInteger puts first
      var digits = length[0] == 0 ? Arrays.copyOfRange(length, 1, length.length) : length;
      result.write(LONG_FORM | digits.length);
      result.writeBytes(digits);
    } else {
      result.write(content.size());
    }
    result.writeBytes(content.toByteArray());
    return result.toByteArray();
  }

  static byte[] sequence(byte[]... contents) {
    return tagged(SEQUENCE, contents);
  }

  static byte[] set(byte[]... contents) {
    return tagged(SET, contents);
  }

  static byte[] integer(BigInteger value) {
    return tagged(0x02, value.toByteArray());
  }

  static byte[] yes() {
    return tagged(0x01, new byte[] {(byte) 0xFF});
  }

  /** The first byte says how many bits of the last one are unused. */
  static byte[] bits(byte[] content) {
    return tagged(0x03, new byte[] {0}, content);
  }

  static byte[] octets(byte[] content) {
    return tagged(0x04, content);
  }

  static byte[] text(String value) {
    return tagged(0x0C, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Up to 2049, as certificates must have it. */
  static byte[] time(Instant value) {
    return tagged(0x17, TIME.format(value).getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] oid(String dotted) {
    var numbers = Arrays.stream(dotted.split("\\.", -1)).mapToInt(Integer::parseInt).toArray();
    var content = new ByteArrayOutputStream();
    content.write(40 * numbers[0] + numbers[1]);
    IntStream.range(2, numbers.length).forEach(index -> writeBase128(content, numbers[index]));
    return tagged(0x06, content.toByteArray());
  }

  private static void writeBase128(ByteArrayOutputStream to, int number) {
    for (var shift = 28; shift > 0; shift -= 7) {
      if (number >>> shift != 0) {
        to.write(LONG_FORM | ((number >>> shift) & 0x7F));
      }
    }
    to.write(number & 0x7F);
  }
}
