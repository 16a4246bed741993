package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.process.TestAccess;
import dev.hapax.client.Codec;
import dev.hapax.client.Hapax;
import dev.hapax.client.Operation;
import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Java clients of two servers. The kits have the same in {@code KitServersIT}. */
@Tag("long")
@Tag("fault")
class TwoServersIT {
  private static final int CALLS = 2_000;
  private static final TwoServers SERVERS = TwoServers.start();
  private static final NameResolverProvider NAME = new TwoAddresses();

  /** A name without DNS: {@code two:///localhost} has the addresses of both servers. */
  private static final class TwoAddresses extends NameResolverProvider {
    @Override
    public String getDefaultScheme() {
      return "two";
    }

    @Override
    protected boolean isAvailable() {
      return true;
    }

    @Override
    protected int priority() {
      return 0;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
      return Set.of(InetSocketAddress.class);
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args settings) {
      return new NameResolver() {
        @Override
        public String getServiceAuthority() {
          return "localhost";
        }

        @Override
        public void start(Listener2 listener) {
          Listener plain = listener;
          plain.onAddresses(addresses(), Attributes.EMPTY);
        }

        @Override
        public void shutdown() {}
      };
    }

    private static List<EquivalentAddressGroup> addresses() {
      return SERVERS.targets().stream()
          .map(target -> URI.create("hapax://" + target))
          .map(uri -> new InetSocketAddress(uri.getHost(), uri.getPort()))
          .map(EquivalentAddressGroup::new)
          .toList();
    }
  }

  @BeforeAll
  static void register() {
    NameResolverRegistry.getDefaultRegistry().register(NAME);
  }

  @AfterAll
  static void stop() {
    NameResolverRegistry.getDefaultRegistry().deregister(NAME);
    SERVERS.close();
  }

  private static Hapax.Builder client(String server) {
    return Hapax.builder(TestAccess.client(server)).workspace("two-servers");
  }

  /** Each operation is two calls: its begin and its completion. */
  private static void call(Hapax hapax) {
    try (var threads = Executors.newFixedThreadPool(4)) {
      var ended = new ArrayList<Future<String>>();
      for (var i = 0; i < CALLS / 2; i++) {
        var key = "key-" + System.nanoTime() + "-" + i;
        ended.add(
            threads.submit(() -> hapax.once(Operation.of("charge", key), Codec.text(), _ -> key)));
      }
      assertThat(ended).allSatisfy(each -> assertThat(each.get()).startsWith("key-"));
    }
  }

  private static void assertShared(Hapax.Builder settings) {
    try (var hapax = settings.connect()) {
      SERVERS.awaitConnected(hapax::serverInfo);
      SERVERS.assertShared(() -> call(hapax));
      SERVERS.restart();
      SERVERS.awaitConnected(hapax::serverInfo);
      SERVERS.assertShared(() -> call(hapax));
    }
  }

  @Test
  @DisplayName(
      "given a list of two servers, then each commits its share of the calls, also after both have"
          + " restarted")
  void list() {
    assertShared(client(SERVERS.list()));
  }

  @Test
  @DisplayName("given a list of two servers, when calls are no streams, then they are shared, too")
  void unary() {
    assertShared(client(SERVERS.list()).streams(false));
  }

  @Test
  @DisplayName(
      "given a name with two addresses, then each commits its share of the calls, also after both"
          + " have restarted")
  void name() {
    assertShared(client("two:///localhost"));
  }
}
