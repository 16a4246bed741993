package dev.hapax.bootstrap.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.bootstrap.config.ServerConfig.LedgerConfig;
import dev.hapax.console.view.LogLink;
import dev.hapax.grpc.quota.CallerLimits;
import dev.hapax.grpc.quota.ConnectionLimits;
import dev.hapax.grpc.tls.TlsFiles;
import dev.hapax.postgres.DatabasePassword;
import dev.hapax.postgres.schema.RowLevelSecurity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
  private static final Map<String, String> OTHER_THAN_DEFAULT =
      Map.ofEntries(
          Map.entry("listen", "0.0.0.0:1234"),
          Map.entry("data-dir", "/somewhere"),
          Map.entry("database-url", "jdbc:postgresql://db/orders"),
          Map.entry("database-user", "me"),
          Map.entry("database-password", "s3cret"),
          Map.entry("database-wait", "5s"),
          Map.entry("migrate", "off"),
          Map.entry("allow-unsafe-database", "true"),
          Map.entry("row-level-security", "off"),
          Map.entry("cell", "eu=jdbc:postgresql://eu/orders us=jdbc:postgresql://us/orders"),
          Map.entry("cells", "cells.conf"),
          Map.entry("definitions", "."),
          Map.entry("lifecycles", ".."),
          Map.entry("metrics-listen", "0.0.0.0:9420"),
          Map.entry("http-listen", "0.0.0.0:7421"),
          Map.entry("http-hosts", "hapax.internal, hapax"),
          Map.entry("http-origins", "https://app.example.com, http://localhost:5173"),
          Map.entry("console-listen", "0.0.0.0:7422"),
          Map.entry("console-hosts", "hapax.internal,Console.internal"),
          Map.entry("console-log-link", "https://logs.example/{workspace}?q={run_id}"),
          Map.entry("tls-cert", "server.crt"),
          Map.entry("tls-key", "server.key"),
          Map.entry("tls-client-ca", "clients.crt"),
          Map.entry("tls-client-auth", "optional"),
          Map.entry("token-issuers", "issuers.conf"),
          Map.entry("certificate-identities", "certificates.conf"),
          Map.entry("insecure", "true"),
          Map.entry("insecure-metrics", "true"),
          Map.entry("authentication", "true"),
          Map.entry("reflection", "true"),
          Map.entry("pool-size", "12"),
          Map.entry("committers", "3"),
          Map.entry("batch-size", "64"),
          Map.entry("run-retention", "168h"),
          Map.entry("entity-event-retention", "90d"),
          Map.entry("max-connections", "20000"),
          Map.entry("max-connections-per-address", "2000"),
          Map.entry("calls-per-second-per-workspace", "300"),
          Map.entry("calls-per-second-per-principal", "200"),
          Map.entry("watches-per-workspace", "50"),
          Map.entry("watches-per-principal", "40"),
          Map.entry("waits-per-principal", "30"),
          Map.entry("log-format", "json"),
          Map.entry("drain", "2m"),
          Map.entry("shutdown-delay", "5s"));

  private static final Map<String, String> TLS =
      Map.of("tls-cert", "server.crt", "tls-key", "server.key");

  @TempDir private Path folder = Path.of("");

  @Test
  void hasDefaults() throws Exception {
    var config = read(Map.of(), Map.of());

    assertThat(config.listen()).isEqualTo(new HostPort("127.0.0.1", 7420));
    assertThat(config.database())
        .isEqualTo(new DatabaseConfig.Embedded(Path.of(".hapax").toAbsolutePath()));
    assertThat(config.authentication()).isFalse();
    assertThat(config.reflection()).isTrue();
    assertThat(config.ledger())
        .isEqualTo(
            new LedgerConfig(
                8, 2, 256, Duration.ofDays(30), Duration.ofDays(365), RowLevelSecurity.AUTO));
    assertThat(config.connections()).isEqualTo(new ConnectionLimits(10_000, 1_000));
    assertThat(config.callers()).isEqualTo(new CallerLimits(0, 0, 5_000, 5_000, 100_000));
    assertThat(config.drain()).isEqualTo(Duration.ofSeconds(25));
    assertThat(config.shutdownDelay()).isZero();
    assertThat(config.migrate()).isEqualTo(MigrationMode.AUTO);
  }

  @Test
  void coversEverySettingBelow() {
    // it excludes the password, and has a test of its own
    assertThat(with(OTHER_THAN_DEFAULT, "database-password-file", "").keySet())
        .containsExactlyInAnyOrderElementsOf(Settings.ALL.stream().map(Setting::name).toList());
  }

  @Test
  void readsEverySettingAsFlag() throws Exception {
    assertFull(read(OTHER_THAN_DEFAULT, Map.of()));
  }

  @Test
  void readsEverySettingAsVariable() throws Exception {
    var variables = new HashMap<String, String>();
    Settings.ALL.forEach(
        setting -> variables.put(setting.variable(), OTHER_THAN_DEFAULT.get(setting.name())));

    assertThat(variables).containsKey("HAPAX_DATABASE_URL");
    assertFull(read(Map.of(), variables));
  }

  @Test
  void readsEverySettingFromTheFile() throws Exception {
    assertFull(ConfigReader.read(Map.of(), Map.of(), Optional.of(file(OTHER_THAN_DEFAULT))));
  }

  private static void assertFull(ServerConfig config) {
    assertThat(config.listen()).isEqualTo(new HostPort("0.0.0.0", 1234));
    assertThat(config.database())
        .isEqualTo(
            new DatabaseConfig.External(
                new JdbcTarget(
                    new JdbcUrl("jdbc:postgresql://db/orders"),
                    Optional.of("me"),
                    Optional.of("s3cret")),
                Duration.ofSeconds(5),
                true));
    assertThat(config.cells().listed())
        .extracting(each -> each.name() + " " + each.target())
        .containsExactly(
            "eu jdbc:postgresql://eu/orders as me", "us jdbc:postgresql://us/orders as me");
    assertThat(config.cells().file()).contains(Path.of("cells.conf").toAbsolutePath());
    assertThat(config.definitions()).contains(Path.of("").toAbsolutePath());
    assertThat(config.lifecycles()).contains(Path.of("..").toAbsolutePath().normalize());
    assertThat(config.metricsListen()).contains(new HostPort("0.0.0.0", 9420));
    assertThat(config.httpListen()).contains(new HostPort("0.0.0.0", 7421));
    assertThat(config.httpHosts()).contains("hapax.internal", "hapax");
    assertThat(config.httpOrigins())
        .containsExactlyInAnyOrder("https://app.example.com", "http://localhost:5173");
    assertThat(config.consoleListen())
        .contains(
            new ConsoleListen(
                new HostPort("0.0.0.0", 7422),
                true,
                Set.of(
                    "hapax.internal",
                    "Console.internal",
                    "0.0.0.0",
                    "localhost",
                    "127.0.0.1",
                    "[::1]"),
                Optional.of(new LogLink("https://logs.example/{workspace}?q={run_id}"))));
    assertThat(config.tokenIssuers()).contains(Path.of("issuers.conf").toAbsolutePath());
    assertThat(config.certificateIdentities())
        .contains(Path.of("certificates.conf").toAbsolutePath());
    assertThat(config.authentication()).isTrue();
    assertThat(config.tls())
        .contains(
            new TlsFiles(
                Path.of("server.crt").toAbsolutePath(),
                Path.of("server.key").toAbsolutePath(),
                Optional.of(new TlsFiles.Clients(Path.of("clients.crt").toAbsolutePath(), false))));
    assertThat(config.reflection()).isTrue();
    assertThat(config.ledger())
        .isEqualTo(
            new LedgerConfig(
                12, 3, 64, Duration.ofDays(7), Duration.ofDays(90), RowLevelSecurity.OFF));
    assertThat(config.connections()).isEqualTo(new ConnectionLimits(20_000, 2_000));
    assertThat(config.callers()).isEqualTo(new CallerLimits(300, 200, 50, 40, 30));
    assertThat(config.drain()).isEqualTo(Duration.ofMinutes(2));
    assertThat(config.shutdownDelay()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.migrate()).isEqualTo(MigrationMode.OFF);
  }

  @Test
  void takesFlagsBeforeVariablesBeforeTheFile() throws Exception {
    var file = file(Map.of("pool-size", "10", "batch-size", "10", "drain", "10s"));

    var config =
        ConfigReader.read(
            Map.of("pool-size", "30"),
            Map.of(
                "HAPAX_POOL_SIZE", "20", "HAPAX_BATCH_SIZE", "20", "HAPAX_CONFIG", file.toString()),
            Optional.empty());

    assertThat(config.ledger().poolSize()).isEqualTo(30);
    assertThat(config.ledger().batchSize()).isEqualTo(20);
    assertThat(config.drain()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void namesEveryProblemAndItsOrigin() throws Exception {
    var file = file(Map.of("lisen", "x", "drain", "soon"));

    assertThatThrownBy(
            () ->
                ConfigReader.read(
                    Map.of("pool-size", "many"),
                    Map.of("HAPAX_BATCH_SIZE", "0"),
                    Optional.of(file)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("4 problems")
        .hasMessageContaining("unknown key 'lisen' in " + file)
        .hasMessageContaining("HAPAX_BATCH_SIZE=0: must be a number from 1 to 4096")
        .hasMessageContaining("--pool-size=many: must be a number from 2 to 200")
        .hasMessageContaining("drain in " + file + "=soon: must be a duration");
  }

  @Test
  void refusesARetentionThatNoDatabaseCanTell() throws Exception {
    assertThat(read(Map.of("run-retention", "3650d"), Map.of()).ledger().runRetention())
        .isEqualTo(Duration.ofDays(3_650));
    assertThatThrownBy(() -> read(Map.of("run-retention", "87601h"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--run-retention=87601h: must be at most 3650d (ten years)");
    assertThatThrownBy(() -> read(Map.of("entity-event-retention", "3651d"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--entity-event-retention=3651d: must be at most 3650d (ten years)");
    assertThatThrownBy(() -> read(Map.of("entity-event-retention", "23h"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--entity-event-retention=23h: must be at least 1d");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://logs.example/?q=run",
        "logs.example/{run_id}",
        "javascript:alert('{run_id}')",
        "ftp://logs.example/{run_id}",
        "https://{run_id}/",
        "https://{run_id}.logs.example/",
        "https://logs.example/?q={run_id}&user={user}",
        "https://logs.example/?q=\"{run_id}\"",
        "https://?q={run_id}"
      })
  @DisplayName("given a link to logs that leads nowhere, then the error names the setting")
  void refusesALogLinkThatLeadsNowhere(String link) {
    for (var console : List.of("127.0.0.1:0", "off")) {
      assertThatThrownBy(
              () -> read(Map.of("console-listen", console), Map.of("HAPAX_CONSOLE_LOG_LINK", link)))
          .isInstanceOf(ConfigurationException.class)
          .hasMessage(
              "HAPAX_CONSOLE_LOG_LINK=%s: must be a percent-encoded http or https address with"
                      .formatted(link)
                  + " {run_id} after its host, such as https://logs.example/?q={run_id};"
                  + " {workspace} may follow as well");
    }
  }

  @Test
  void leavesOtherVariablesAlone() throws Exception {
    var others =
        Map.of(
            "HAPAX_JAVA_OPTS",
            "-Xmx1g",
            "HAPAX_TEST_DATABASE_URL",
            "x",
            "HOME",
            "/",
            "HAPAX_DRAIN",
            "");
    read(Map.of(), others);
    assertThat(ConfigReader.warnings(others)).isEmpty();
  }

  @Test
  @DisplayName(
      "given variables that Kubernetes injects for a Service hapax, then there is no warning")
  void ignoresVariablesOfKubernetes() throws Exception {
    var injected =
        Map.ofEntries(
            Map.entry("HAPAX_SERVICE_HOST", "10.96.7.1"),
            Map.entry("HAPAX_SERVICE_PORT", "7420"),
            Map.entry("HAPAX_SERVICE_PORT_GRPC", "7420"),
            Map.entry("HAPAX_PORT", "tcp://10.96.7.1:7420"),
            Map.entry("HAPAX_PORT_7420_TCP", "tcp://10.96.7.1:7420"),
            Map.entry("HAPAX_PORT_7420_TCP_PROTO", "tcp"),
            Map.entry("HAPAX_PORT_7420_TCP_PORT", "7420"),
            Map.entry("HAPAX_PORT_7420_TCP_ADDR", "10.96.7.1"),
            Map.entry("HAPAX_METRICS_SERVICE_HOST", "10.96.7.2"),
            Map.entry("HAPAX_METRICS_PORT", "tcp://10.96.7.2:9420"),
            Map.entry("HAPAX_METRICS_PORT_9420_TCP_PORT", "9420"));

    assertThat(read(Map.of(), injected).listen().port()).isEqualTo(7420);
    assertThat(ConfigReader.warnings(injected)).isEmpty();
  }

  @Test
  @DisplayName("given an unknown variable, then a warning suggests the most similar name")
  void suggestsAVariable() throws Exception {
    var variables =
        Map.of("HAPAX_DRAN", "1s", "HAPAX_LISTN", "x", "HAPAX_PORT", "7420", "HAPAX_COLOUR", "red");

    assertThat(read(Map.of(), variables).drain()).isEqualTo(Duration.ofSeconds(25));
    assertThat(ConfigReader.warnings(variables))
        .containsExactly(
            "ignoring unknown variable HAPAX_COLOUR",
            "ignoring unknown variable HAPAX_DRAN; did you mean HAPAX_DRAIN?",
            "ignoring unknown variable HAPAX_LISTN; did you mean HAPAX_LISTEN?",
            "ignoring unknown variable HAPAX_PORT");
  }

  @Test
  void saysThatTheFileCannotBeRead() {
    assertThatThrownBy(
            () ->
                ConfigReader.read(
                    Map.of(), Map.of(), Optional.of(folder.resolve("missing.properties"))))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("missing.properties");
  }

  @Test
  @Tag("A1")
  @DisplayName(
      "given an address for other machines, then TLS and authentication are needed, or consent")
  void protectsOtherMachines() throws Exception {
    assertThatThrownBy(() -> read(Map.of("listen", "0.0.0.0:7420"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage(
            "--listen=0.0.0.0:7420: other machines can reach this address, and calls are not"
                + " encrypted. Add --tls-cert and --tls-key without --authentication=false, listen"
                + " on 127.0.0.1, or add --insecure (HAPAX_INSECURE=true) if every client that can"
                + " reach it may use it");
    assertThatThrownBy(
            () -> read(with(TLS, "listen", "0.0.0.0:7420", "authentication", "false"), Map.of()))
        .hasMessageContaining("and calls are not authenticated");

    var safe = read(with(TLS, "listen", "0.0.0.0:7420"), Map.of());
    assertThat(safe.authentication()).isTrue();
    assertThat(safe.warnings()).isEmpty();
    assertThat(safe.reflection()).isFalse();
  }

  @Test
  @Tag("A1")
  @DisplayName("given consent, then each address that is not protected has a warning")
  void warnsOfInsecureAddresses() throws Exception {
    var open =
        read(
            Map.of(
                "listen",
                "0.0.0.0:7420",
                "metrics-listen",
                "0.0.0.0:9420",
                "insecure",
                "true",
                "insecure-metrics",
                "true"),
            Map.of());
    assertThat(open.reflection()).isFalse();
    assertThat(open.warnings())
        .containsExactly(
            "--insecure: other machines can reach 0.0.0.0:7420, and calls are neither encrypted"
                + " nor authenticated",
            "--insecure-metrics: other machines can reach 0.0.0.0:9420, and metrics are neither"
                + " encrypted nor authenticated");

    var metrics =
        read(
            with(
                TLS,
                "listen",
                "0.0.0.0:1",
                "metrics-listen",
                "0.0.0.0:2",
                "insecure-metrics",
                "true"),
            Map.of());
    assertThat(metrics.authentication()).isTrue();
    assertThat(metrics.warnings()).hasSize(1);
    assertThat(read(Map.of("listen", "[::1]:0", "insecure", "true"), Map.of()).warnings())
        .isEmpty();
    assertThat(read(Map.of("listen", "localhost:0"), Map.of()).reflection()).isTrue();
    assertThat(read(Map.of("listen", "[::1]:0"), Map.of()).listen().host()).isEqualTo("::1");
  }

  @Test
  @DisplayName("given some settings of TLS, then the missing and contradicting ones are named")
  void combinesSettingsOfTls() throws Exception {
    refusedTls("--tls-cert=a.crt: needs --tls-key", "tls-cert", "a.crt");
    refusedTls("--tls-key=a.key: needs --tls-cert", "tls-key", "a.key");
    refusedTls("--tls-client-ca=ca: needs --tls-cert", "tls-client-ca", "ca");
    refusedTls("--tls-client-auth=require: needs --tls-client-ca", "tls-client-auth", "require");
    refusedTls(
        "--tls-client-auth=perhaps: must be none, optional or require",
        "tls-client-auth",
        "perhaps");
    assertThatThrownBy(
            () -> read(with(TLS, "tls-client-ca", "ca", "tls-client-auth", "none"), Map.of()))
        .hasMessageContaining("--tls-client-auth=none: contradicts --tls-client-ca");

    assertThat(clients(with(TLS, "tls-client-auth", "none"))).isEmpty();
    var ca = Path.of("ca").toAbsolutePath();
    assertThat(clients(with(TLS, "tls-client-ca", "ca"))).contains(new TlsFiles.Clients(ca, true));
    assertThat(clients(with(TLS, "tls-client-ca", "ca", "tls-client-auth", "optional")))
        .contains(new TlsFiles.Clients(ca, false));
  }

  private static void refusedTls(String message, String name, String value) {
    assertThatThrownBy(() -> read(Map.of(name, value), Map.of())).hasMessageContaining(message);
  }

  private static Optional<TlsFiles.Clients> clients(Map<String, String> flags)
      throws ConfigurationException {
    return read(flags, Map.of()).tls().orElseThrow().clients();
  }

  private static Map<String, String> with(Map<String, String> flags, String... more) {
    var all = new HashMap<>(flags);
    for (var index = 0; index < more.length; index += 2) {
      all.put(more[index], more[index + 1]);
    }
    return all;
  }

  @Test
  @DisplayName("given a password file, then it is read, and excludes a password")
  void readsThePasswordFile() throws Exception {
    var file = Files.writeString(folder.resolve("password"), "s3cret\n");
    var url =
        Map.of("database-url", "jdbc:postgresql://db/x", "database-password-file", file.toString());

    var database = (DatabaseConfig.External) read(url, Map.of()).database();
    assertThat(database.target().password()).isEqualTo(new DatabasePassword.InFile(file));
    assertThat(database.target().password().current()).contains("s3cret");
    assertThatThrownBy(() -> read(with(url, "database-password", "other"), Map.of()))
        .hasMessageContaining("--database-password is given as well")
        .hasMessageNotContaining("s3cret");
    assertThatThrownBy(() -> read(Map.of("database-password-file", file.toString()), Map.of()))
        .hasMessageContaining("needs --database-url");
    Files.delete(file);
    assertThatThrownBy(() -> read(url, Map.of()))
        .hasMessageContaining("the password file " + file + " cannot be read");
  }

  @Test
  void wantsADatabaseForItsUser() {
    assertThatThrownBy(() -> read(Map.of("database-user", "me"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("needs --database-url");
  }

  @Test
  void wantsAFolderForDefinitions() throws Exception {
    var file = file(Map.of());

    assertThat(read(Map.of(), Map.of()).definitions()).isEmpty();
    assertThatThrownBy(() -> read(Map.of("definitions", file.toString()), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("--definitions=" + file + ": is not a folder");
  }

  @Test
  void wantsAFolderForLifecycles() throws Exception {
    var file = file(Map.of());

    assertThatThrownBy(() -> read(Map.of("lifecycles", file.toString()), Map.of()))
        .hasMessage("--lifecycles=" + file + ": is not a folder");
  }

  @Test
  void consoleIsOnWhereOnlyThisMachineReachesIt() throws Exception {
    var usual = read(Map.of(), Map.of()).consoleListen().orElseThrow();
    assertThat(usual.address()).isEqualTo(new HostPort("127.0.0.1", 7422));
    assertThat(usual.required()).isFalse();

    assertThat(read(Map.of("console-listen", "off"), Map.of()).consoleListen()).isEmpty();
    assertThat(read(Map.of("listen", "127.0.0.1:0"), Map.of()).consoleListen()).isEmpty();
    var open = Map.of("listen", "0.0.0.0:7420");
    assertThat(read(with(TLS, "listen", "0.0.0.0:7420"), Map.of()).consoleListen()).isEmpty();
    assertThat(read(with(open, "insecure", "true"), Map.of()).consoleListen()).isEmpty();

    var chosen = read(Map.of("console-listen", "[::1]:0"), Map.of()).consoleListen().orElseThrow();
    assertThat(chosen.address()).isEqualTo(new HostPort("::1", 0));
    assertThat(chosen.required()).isTrue();
  }

  @Test
  void consoleForOtherMachinesNeedsProtection() throws Exception {
    var exposed = Map.of("console-listen", "0.0.0.0:7422");
    assertThatThrownBy(() -> read(exposed, Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--console-listen=0.0.0.0:7422: other machines can reach");
    assertThat(read(with(TLS, "console-listen", "0.0.0.0:7422"), Map.of()).authentication())
        .isTrue();
  }

  @Test
  @DisplayName("given HTTP for other machines, then it needs TLS and credentials, or --insecure")
  void servesHttpToThisMachineOnlyUnlessSecured() throws Exception {
    assertThat(read(Map.of(), Map.of()).httpListen()).isEmpty();
    var loopback = read(Map.of("http-listen", "127.0.0.1:0"), Map.of());
    assertThat(loopback.httpListen()).contains(new HostPort("127.0.0.1", 0));
    assertThat(loopback.authentication()).isFalse();
    assertThatThrownBy(() -> read(Map.of("http-listen", "0.0.0.0:7421"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--http-listen=0.0.0.0:7421: other machines can reach")
        .hasMessageContaining("calls are not encrypted");
    var secured = with(TLS, "http-listen", "0.0.0.0:7421");
    assertThat(read(secured, Map.of()).authentication()).isTrue();
    assertThat(read(secured, Map.of()).warnings()).isEmpty();
    var insecure =
        read(
            Map.of("http-listen", "0.0.0.0:7421", "insecure", "true", "authentication", "true"),
            Map.of());
    assertThat(insecure.warnings())
        .containsExactly(
            "--insecure: other machines can reach 0.0.0.0:7421, and calls are not encrypted");
  }

  @ParameterizedTest
  @DisplayName("given what no browser sends as an origin, then it is refused")
  @ValueSource(
      strings = {
        "*",
        "null",
        "https://*.example.com",
        "https://app.example.com/",
        "https://App.example.com",
        "https://app.example.com:443",
        "http://app.example.com:80",
        "https://",
        "https://app..example.com:1",
        "ftp://a",
        "app.example.com",
        "https://example,com"
      })
  void originsAreExact(String origin) {
    assertThatThrownBy(
            () -> read(Map.of("http-listen", "127.0.0.1:0", "http-origins", origin), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("must be origins such as https://app.example.com");
  }

  @Test
  @DisplayName("given origins without HTTP, then the server says what is missing")
  void originsNeedHttp() throws Exception {
    assertThat(read(Map.of(), Map.of()).httpOrigins()).isEmpty();
    assertThatThrownBy(() -> read(Map.of("http-origins", "https://app.example.com"), Map.of()))
        .hasMessage("--http-origins=https://app.example.com: needs --http-listen");
  }

  @Test
  @DisplayName(
      "given names of hosts, then they are those of the ports for calls and metrics, and one of"
          + " these ports has to be there [security-M4]")
  void hosts() throws Exception {
    for (var port : List.of("http-listen", "metrics-listen")) {
      assertThat(
              read(Map.of(port, "localhost:0", "http-hosts", "a.internal,b"), Map.of()).httpHosts())
          .containsExactlyInAnyOrder("a.internal", "b", "localhost");
    }
    assertThatThrownBy(() -> read(Map.of("http-hosts", "a"), Map.of()))
        .hasMessage("--http-hosts=a: needs --http-listen or --metrics-listen");
  }

  @Test
  @DisplayName("given off in place of an address, then there is no such port [security-N9]")
  void off() throws Exception {
    var config =
        read(
            Map.of("metrics-listen", "off", "http-listen", "off", "console-listen", "off"),
            Map.of());
    assertThat(config.metricsListen()).isEmpty();
    assertThat(config.httpListen()).isEmpty();
    assertThat(config.consoleListen()).isEmpty();
  }

  @Test
  void tellsMetricsToThisMachineOnlyUnlessInsecure() throws Exception {
    assertThat(read(Map.of(), Map.of()).metricsListen()).isEmpty();
    assertThat(read(Map.of("metrics-listen", "127.0.0.1:0"), Map.of()).metricsListen())
        .contains(new HostPort("127.0.0.1", 0));
    assertThatThrownBy(() -> read(Map.of("metrics-listen", "0.0.0.0:9420"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--metrics-listen=0.0.0.0:9420: other machines can reach")
        .hasMessageContaining("add --insecure-metrics (HAPAX_INSECURE_METRICS=true)");
    assertThatThrownBy(
            () ->
                read(
                    Map.of("listen", "0.0.0.0:7420", "insecure-metrics", "true"),
                    Map.of("HAPAX_METRICS_LISTEN", "0.0.0.0:9420")))
        .as("metrics that may be read by others do not open the calls")
        .hasMessageStartingWith("--listen=0.0.0.0:7420");
  }

  @Test
  void leavesConnectionsForReads() {
    assertThatThrownBy(() -> read(Map.of("pool-size", "4", "committers", "4"), Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("--committers=4: each committer needs a connection");
  }

  @Test
  void masksSecretsWhereverTheyStand() throws Exception {
    var config =
        read(
            Map.of(
                "database-url",
                "jdbc:postgresql://db/x?user=me&password=s3cret&sslpassword=s3cret&ssl=true"),
            Map.of("HAPAX_DATABASE_PASSWORD", "s3cret"));

    assertThat(config.effective())
        .contains("database-url=jdbc:postgresql://db/x?user=me&password=***")
        .contains("ssl=true (--database-url)")
        .contains("database-password=*** (HAPAX_DATABASE_PASSWORD)");
    assertThat(config.toString()).doesNotContain("s3cret");
    assertThatThrownBy(() -> read(Map.of("database-url", "postgres://me:s3cret@db/x"), Map.of()))
        .hasMessageContaining("//me:***@db")
        .hasMessageNotContaining("s3cret");
  }

  private static ServerConfig read(Map<String, String> flags, Map<String, String> variables)
      throws ConfigurationException {
    return ConfigReader.read(flags, variables, Optional.empty());
  }

  private Path file(Map<String, String> values) throws IOException {
    var file = folder.resolve("hapax.properties");
    var lines = values.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue());
    return Files.write(file, lines.toList());
  }
}
