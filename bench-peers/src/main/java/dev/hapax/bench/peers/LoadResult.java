package dev.hapax.bench.peers;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * The result of one load.
 *
 * @param rate units per second that ended within the time
 * @param units all units, including those that ended after the time
 * @param latencies of each turn, in microseconds
 */
record LoadResult(double rate, long units, Histogram latencies) {
  LoadResult {
    if (!(rate >= 0) || units < 1) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "units must be at least 1 (was %d)", units));
    }
  }

  /** Encodes the result as one line for {@link #parse}. */
  String line() {
    var buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
    var length = latencies.encodeIntoCompressedByteBuffer(buffer);
    var encoded = Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    return String.format(Locale.ROOT, "%s %d %s", Double.toString(rate), units, encoded);
  }

  static LoadResult parse(String line) {
    var words = line.split(" ", 3);
    var bytes = ByteBuffer.wrap(Base64.getDecoder().decode(words[2]));
    try {
      return new LoadResult(
          Double.parseDouble(words[0]),
          Long.parseLong(words[1]),
          Histogram.decodeFromCompressedByteBuffer(bytes, 0));
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("invalid result line: " + line, e);
    }
  }
}
