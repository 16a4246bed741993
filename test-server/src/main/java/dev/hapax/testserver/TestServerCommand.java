package dev.hapax.testserver;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hapax test-server}. */
@Command(
    name = "hapax test-server",
    mixinStandardHelpOptions = true,
    description = {
      "Serve instances of Hapax in memory, for tests. Each has its own data and a clock that its"
          + " test advances.",
      "The client libraries start this program. It prints its address on standard output, and ends"
          + " when its standard input ends."
    },
    exitCodeList = {"0:standard input ended", "1:the address is not free", "2:invalid usage"})
final class TestServerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description =
          "Address of the server; port 0 = a free one. Instances get free ports of the same host."
              + " Anyone who can connect controls them. Default: ${DEFAULT-VALUE}")
  private String listen = "127.0.0.1:0";

  @Option(names = "--stay", description = "Do not end when standard input ends.")
  private boolean stay;

  @Override
  public Integer call() throws InterruptedException, IOException {
    try (var server = ControlServer.start(address())) {
      spec.commandLine().getOut().println(server.address());
      spec.commandLine().getOut().flush();
      if (stay) {
        new CountDownLatch(1).await();
      }
      var _ = System.in.transferTo(OutputStream.nullOutputStream());
      return ExitCode.OK;
    }
  }

  private InetSocketAddress address() {
    try {
      var parsed = new URI("hapax://" + listen);
      if (parsed.getHost() != null && parsed.getPort() >= 0) {
        var address = new InetSocketAddress(parsed.getHost(), parsed.getPort());
        if (!address.isUnresolved()) {
          return address;
        }
      }
    } catch (URISyntaxException | IllegalArgumentException _) {
      // as below
    }
    throw new ParameterException(
        spec.commandLine(),
        "--listen must be HOST:PORT, with a host that this machine knows (was " + listen + ")");
  }
}
