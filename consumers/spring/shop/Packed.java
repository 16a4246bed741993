package shop;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.HapaxChannel;
import dev.hapax.client.HapaxClient;
import java.time.Duration;

/** Prints the result of a run that has ended. */
final class Packed {
  private Packed() {}

  public static void main(String[] args) throws Exception {
    var channel = HapaxChannel.fromEnvironment().open();
    var runs = HapaxClient.on(channel).runs();
    System.out.println(runs.result(args[0], PayloadCodec.text(), Duration.ofMillis(1)));
    channel.shutdownNow();
  }
}
