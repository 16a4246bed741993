package dev.hapax.grpc.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SignatureLimitTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private long nanos = SECOND;
  private final SignatureLimit limit = new SignatureLimit(() -> nanos);

  private static SocketAddress address(String host, int port) {
    return new InetSocketAddress(host, port);
  }

  @Test
  @Tag("A8")
  @DisplayName(
      "given an address with wrong signatures, then 20 a second are verified, those of others freely")
  void limited() {
    var tried = 0;
    for (var millisecond = 0; millisecond < 10_000; millisecond++) {
      var guesser = address("192.0.2.1", millisecond % 60_000 + 1);
      if (limit.mayVerify(guesser)) {
        tried++;
        limit.wrong(guesser);
      }
      assertThat(limit.mayVerify(address("192.0.2.2", 1))).isTrue();
      nanos += TimeUnit.MILLISECONDS.toNanos(1);
    }
    assertThat(tried).isBetween(10 * SignatureLimit.PER_SECOND, 11 * SignatureLimit.PER_SECOND);
  }

  @Test
  @DisplayName("given addresses of one IPv6 network, then they count as one caller")
  void network() {
    for (var i = 0; i < SignatureLimit.PER_SECOND; i++) {
      limit.wrong(address("2001:db8:0:1::" + Integer.toHexString(i + 1), 1));
    }
    assertThat(limit.mayVerify(address("2001:db8:0:1:ffff::1", 1))).isFalse();
    assertThat(limit.mayVerify(address("2001:db8:0:2::1", 1))).isTrue();
    assertThat(limit.size()).isEqualTo(1);
  }
}
