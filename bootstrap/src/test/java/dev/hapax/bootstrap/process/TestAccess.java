package dev.hapax.bootstrap.process;

import dev.hapax.application.security.ApiKeys;
import dev.hapax.bootstrap.embedded.EmbeddedDatabase;
import dev.hapax.domain.security.ApiKey;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.Role;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.domain.security.StoredApiKey;
import dev.hapax.postgres.schema.Migrations;
import dev.hapax.postgres.security.ApiKeyTable;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.testkit.tls.TestCertificates.Request;
import dev.hapax.testkit.tls.TlsClient;
import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * How tests reach servers: plaintext without credentials, or with TLS, an API key and row-level
 * security if the property {@code hapax.secured} is true. Processes that tests start know it by the
 * variables of a client.
 */
public final class TestAccess {
  private static final boolean SECURED = Boolean.getBoolean("hapax.secured");
  private static final String DATABASE = "--database-url=";
  private static final String DATA_FOLDER = "--data-dir=";

  /** The role, and the revision of the keys. */
  private static final int STATEMENTS_OF_REFRESH = 2;

  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private static final String LOOPBACK = "--listen=127.0.0.1:";

  /** The targets of proxies that speak TLS to the server only. */
  private static final Set<String> PROXIES = ConcurrentHashMap.newKeySet();

  /** The data folders that have the key; their PostgreSQL may run by now. */
  private static final Set<String> FOLDERS = ConcurrentHashMap.newKeySet();

  private TestAccess() {}

  /** The key and the certificates of this test run. */
  private static final class Secrets {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration MONTH = Duration.ofDays(30);

    static final ApiKey KEY = ApiKey.create(new SecureRandom()::nextInt);
    static final TestCertificates AUTHORITY = TestCertificates.authority("hapax tests");
    static final TlsClient CLIENT = TlsClient.of(AUTHORITY, Optional.empty());
    static final Path FOLDER = write();

    private static Path write() {
      try {
        var folder = Files.createTempDirectory("hapax-tls");
        folder.toFile().deleteOnExit();
        // for longer than an alert warns before the end
        var now = Instant.now();
        var names = Request.of("localhost", "127.0.0.1");
        AUTHORITY.issue(names.valid(now.minus(HOUR), now.plus(MONTH))).writeTo(folder);
        Files.writeString(folder.resolve("ca.crt"), AUTHORITY.pem());
        return folder;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The builder of a channel to a server, as its caller must connect. */
  public static ManagedChannelBuilder<?> channel(String target) {
    return channel(target, Map.of());
  }

  /** As {@link #channel(String)}, with another certificate authority or key in these variables. */
  public static ManagedChannelBuilder<?> channel(String target, Map<String, String> access) {
    var variables = new HashMap<>(System.getenv());
    variables.putAll(variables());
    variables.putAll(variables(target));
    variables.putAll(access);
    var channel =
        Grpc.newChannelBuilder(target, transport(variables.getOrDefault("HAPAX_TLS_CA", "")));
    var key = variables.getOrDefault("HAPAX_API_KEY", "");
    if (!key.isEmpty()) {
      var headers = new Metadata();
      headers.put(AUTHORIZATION, "Bearer " + key);
      channel.intercept(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
    return channel;
  }

  private static ChannelCredentials transport(String authority) {
    try {
      return authority.isEmpty()
          ? InsecureChannelCredentials.create()
          : TlsChannelCredentials.newBuilder().trustManager(new File(authority)).build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The variables of a client of this server, beside those of every process. */
  public static Map<String, String> variables(String target) {
    return PROXIES.contains(target)
        ? Map.of("HAPAX_SERVER", target, "HAPAX_TLS_CA", "")
        : Map.of("HAPAX_SERVER", target);
  }

  /** Registers a proxy that reads what it forwards, and so is called without TLS. */
  public static void addProxy(String target) {
    PROXIES.add(target);
  }

  /** Forgets a proxy that ends: a server may get its port. */
  public static void removeProxy(String target) {
    PROXIES.remove(target);
  }

  /** All variables of a client in this process. */
  public static Map<String, String> client(String target) {
    var all = new HashMap<>(variables());
    all.putAll(variables(target));
    return all;
  }

  /** Connects a proxy to its server. */
  public static Socket connect(int port) throws IOException {
    return SECURED ? Secrets.CLIENT.open(port) : new Socket(InetAddress.getLoopbackAddress(), port);
  }

  /** The variables of a client process. */
  static Map<String, String> variables() {
    return SECURED
        ? Map.of(
            "HAPAX_TLS_CA",
            Secrets.FOLDER.resolve("ca.crt").toString(),
            "HAPAX_API_KEY",
            Secrets.KEY.text(),
            // gRPC's own: it names the server of an IP address
            "NODE_NO_WARNINGS",
            "1")
        : Map.of();
  }

  /** The statements by which servers of tests find out in this time whether keys were revoked. */
  public static int statements(Duration time) {
    return SECURED ? STATEMENTS_OF_REFRESH * (int) (1 + time.dividedBy(ApiKeys.REFRESH)) : 0;
  }

  /**
   * Adds TLS, the key and row-level security to a server on a database of a test that does not
   * decide this itself.
   */
  static List<String> secured(List<String> arguments) {
    var database = value(arguments, DATABASE);
    var folder = value(arguments, DATA_FOLDER);
    if (!SECURED
        || !arguments.getFirst().equals("serve")
        || database.isEmpty() == folder.isEmpty()
        || arguments.stream().noneMatch(each -> each.startsWith(LOOPBACK))
        || arguments.contains("--authentication")) {
      return arguments;
    }
    database.map(TestAccess::database).ifPresent(TestAccess::create);
    folder.filter(FOLDERS::add).ifPresent(TestAccess::createIn);
    var all = new ArrayList<>(arguments);
    all.add("--authentication");
    all.add("--row-level-security=on");
    all.add("--tls-cert=" + Secrets.FOLDER.resolve("tls.crt"));
    all.add("--tls-key=" + Secrets.FOLDER.resolve("tls.key"));
    return all;
  }

  private static Optional<String> value(List<String> arguments, String option) {
    return arguments.stream()
        .filter(each -> each.startsWith(option))
        .map(each -> each.substring(option.length()))
        .findFirst();
  }

  private static void createIn(String folder) {
    try (var database = EmbeddedDatabase.start(Path.of(folder))) {
      var target = database.target();
      var source = database(target.url().value());
      target.user().ifPresent(source::setUser);
      target.password().current().ifPresent(source::setPassword);
      create(source);
    } catch (IOException | SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static PGSimpleDataSource database(String url) {
    var database = new PGSimpleDataSource();
    database.setURL(url);
    return database;
  }

  /** A second server on the database finds the key there. */
  private static void create(PGSimpleDataSource database) {
    Migrations.migrate(database);
    try {
      var _ =
          ApiKeyTable.inTransaction(
              database,
              keys -> {
                if (keys.lock(Secrets.KEY.id()).isEmpty()) {
                  keys.insert(
                      new StoredApiKey(
                          Secrets.KEY.id(),
                          Secrets.KEY.secretHash(),
                          new Principal(
                              Principal.Kind.API_KEY,
                              "tests",
                              List.of(RoleGrant.everywhere(Role.ADMIN))),
                          keys.now(),
                          "tests",
                          Optional.empty(),
                          Optional.empty()));
                }
                return true;
              });
    } catch (SQLException | IOException e) {
      throw new AssertionError(e);
    }
  }
}
