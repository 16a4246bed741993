package shop;

import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import java.time.Duration;

/** Prints the result of a run that has ended. */
final class Packed {
  private Packed() {}

  public static void main(String[] args) {
    try (var hapax = Hapax.connect()) {
      System.out.println(hapax.runs().result(args[0], Codec.jsonText(), Duration.ofMillis(1)));
    }
  }
}
