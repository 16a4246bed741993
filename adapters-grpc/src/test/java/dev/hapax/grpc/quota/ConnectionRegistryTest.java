package dev.hapax.grpc.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ConnectionRegistryTest {
  private final ConnectionRegistry limits =
      new ConnectionRegistry(new ConnectionLimits(3, 2), false, System::nanoTime);

  private final OpenCallQuota unproven = new OpenCallQuota(Connection.UNPROVEN_CALLS_OF_NETWORK);

  private static ClientNetwork network(String host) {
    return ClientNetwork.of(new InetSocketAddress(host, 1));
  }

  @Test
  @DisplayName(
      "given caps, when connections exceed one, then it is named, and a closed one counts no more")
  void caps() {
    assertThat(limits.admit(network("192.0.2.1"))).isEmpty();
    assertThat(limits.admit(network("192.0.2.1"))).isEmpty();
    assertThat(limits.admit(network("192.0.2.1"))).contains("address");
    assertThat(limits.admit(network("192.0.2.2"))).isEmpty();
    assertThat(limits.admit(network("192.0.2.3"))).contains("total");
    assertThat(limits.size()).isEqualTo(3);
    limits.release(network("192.0.2.1"));
    assertThat(limits.admit(network("192.0.2.3"))).isEmpty();
  }

  @Test
  @DisplayName("given an address of IPv6, then its network of 64 bits is the caller")
  void networks() {
    assertThat(network("2001:db8::1")).isEqualTo(network("2001:db8::2:1"));
    assertThat(network("2001:db8::1")).isNotEqualTo(network("2001:db8:0:1::1"));
    assertThat(network("::1")).isNotEqualTo(network("::2"));
    assertThat(network("::ffff:192.0.2.1")).isEqualTo(network("192.0.2.1"));
  }

  @Test
  @DisplayName("given a cap of nothing, then it is rejected")
  void invalid() {
    assertThatThrownBy(() -> new ConnectionLimits(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was 0");
    assertThatThrownBy(() -> new CallerLimits(-1, 0, 1, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was -1");
  }

  private Connection connection(boolean authenticated) {
    var channel = new EmbeddedChannel();
    return new Connection(channel, channel.remoteAddress(), authenticated, unproven, 0);
  }

  @Test
  @DisplayName("given a connection without a credential, then few calls may be open or cancelled")
  void unproven() {
    var connection = connection(false);
    for (var i = 0; i < Connection.UNPROVEN_CALLS; i++) {
      assertThat(connection.begin(false)).isTrue();
    }
    assertThat(connection.begin(false)).isFalse();
    for (var i = 0; i < Connection.UNPROVEN_CANCELS; i++) {
      assertThat(connection.end(Connection.End.CANCELLED, false)).isTrue();
      assertThat(connection.begin(false)).isTrue();
    }
    assertThat(connection.end(Connection.End.COMPLETED, false)).isTrue();
    assertThat(connection.end(Connection.End.CANCELLED, false)).isFalse();
  }

  @Test
  @DisplayName("given a connection that has authenticated, then these limits are lifted")
  void proven() {
    var connection = connection(false);
    connection.authenticated();
    for (var i = 0; i < 10 * Connection.UNPROVEN_CANCELS; i++) {
      assertThat(connection.begin(false)).isTrue();
    }
    for (var i = 0; i < 10 * Connection.UNPROVEN_CANCELS; i++) {
      assertThat(connection.end(Connection.End.CANCELLED, false)).isTrue();
    }
  }

  @Test
  @DisplayName("given a caller that reads slowly, then only one that reads nothing is stalled")
  void stalled() {
    var second = TimeUnit.SECONDS.toNanos(1);
    var connection = connection(true);
    assertThat(connection.isStalled(second, 10 * second)).isFalse();
    connection.sent(1_000, 0);
    connection.sent(1_000, second - 1);
    assertThat(connection.isStalled(second, second - 1)).isFalse();
    assertThat(connection.isStalled(second, second)).isTrue();
    connection.left(1, second);
    assertThat(connection.isStalled(second, second)).isFalse();
    connection.left(1_999, second);
    assertThat(connection.isStalled(second, 10 * second)).isFalse();
  }

  @Test
  @Tag("A8")
  @DisplayName("given callers of a network without a credential, then few of their calls are open")
  void unprovenCallsOfANetwork() {
    var connections = Stream.generate(() -> connection(false)).limit(10).toList();
    for (var connection : connections) {
      for (var i = 0; i < Connection.UNPROVEN_CALLS; i++) {
        assertThat(connection.begin(true)).isTrue();
      }
    }
    var late = connection(false);
    assertThat(late.begin(true)).isFalse();
    assertThat(connections.getFirst().end(Connection.End.COMPLETED, true)).isTrue();
    assertThat(late.begin(true)).isTrue();
    assertThat(late.begin(true)).isFalse();
    assertThat(connection(false).begin(false)).as("a call that needs a credential").isTrue();
    connections.getLast().authenticated();
    connections.getLast().authenticated();
    assertThat(connections.getLast().end(Connection.End.COMPLETED, true)).isTrue();
    for (var i = 1; i < Connection.UNPROVEN_CALLS; i++) {
      assertThat(late.begin(true)).isTrue();
    }
    assertThat(connection(false).begin(true))
        .as("calls that were proved are counted once")
        .isTrue();
    assertThat(connection(false).begin(true)).isFalse();
  }
}
