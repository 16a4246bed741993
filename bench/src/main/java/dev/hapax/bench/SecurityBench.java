package dev.hapax.bench;

import io.grpc.Channel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code hapax bench security}. */
record SecurityBench(BenchServers bench) {
  private static final int IN_FLIGHT = 256;

  void run() throws Exception {
    var folder = Files.createTempDirectory("hapax-bench");
    try (var issuer = BenchIssuer.start();
        // one server at first, since it makes the schema for the key
        var open = bench.serve()) {
      var key = BenchKey.create(bench.dataSource()).text();
      var certificate = BenchCertificate.create(folder);
      try (var closed =
              bench.serveAuthenticated("--token-issuers", issuer.trustIn(folder).toString());
          var encrypted =
              bench.serveAuthenticated(
                  "--tls-cert",
                  certificate.certificate().toString(),
                  "--tls-key",
                  certificate.key().toString())) {
        var tls = ServerProcess.connect(encrypted.address(), certificate.trusted());
        try {
          var none = pairs("pairs, without credentials", open.channel());
          var keyed = pairs("pairs, API key", BenchKey.with(key, closed.channel()));
          var token = pairs("pairs, token", BenchKey.with(issuer.token(), closed.channel()));
          var both = pairs("pairs, API key and TLS", BenchKey.with(key, tls));
          compare(none, keyed, token, both);
        } finally {
          tls.shutdownNow();
        }
      }
    } finally {
      delete(folder);
    }
  }

  private void compare(
      Measurement none, Measurement keyed, Measurement token, Measurement encrypted)
      throws Exception {
    var all = List.of(none, keyed, token, encrypted);
    bench.measure(all);
    bench.printTable(all);
    bench.print("%nratios, round by round, their medians:");
    bench.printRatio("API key to none", keyed, none, "at least 0.97");
    bench.printRatio("token to none", token, none, "at least 0.95");
    bench.printRatio("API key and TLS to none", encrypted, none, "published");
  }

  private Measurement pairs(String name, Channel channel) {
    var load = new OperationLoad(channel);
    return new Measurement(
        name, "pairs/s", () -> ClosedLoopLoad.measureRate(IN_FLIGHT, bench.time(), load::pair));
  }

  private static void delete(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
