package dev.hapax.bootstrap.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.cli.doctor.Doctor;
import dev.hapax.bootstrap.config.ConfigReader;
import dev.hapax.bootstrap.config.ServerConfig;
import dev.hapax.bootstrap.database.DatabaseFinding;
import dev.hapax.bootstrap.database.DatabaseFinding.Level;
import dev.hapax.bootstrap.server.Server;
import dev.hapax.testkit.postgres.TlsDatabase;
import dev.hapax.testkit.tls.TestCertificates;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.OperationServiceGrpc;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
class PasswordRotationIT {
  @TempDir private Path folder = Path.of("");

  @Test
  @DisplayName(
      "given a database with TLS and a password file, when the password changes, then server and"
          + " doctor go on with the new one")
  void rotation() throws Exception {
    var file = Files.writeString(folder.resolve("password"), "first\n");
    try (var database = TlsDatabase.start(TestCertificates.authority("databases"), "first")) {
      var config = config(database, file);
      try (var server = Server.start(config)) {
        var channel =
            ManagedChannelBuilder.forAddress("127.0.0.1", server.address().port())
                .usePlaintext()
                .build();
        var operations = OperationServiceGrpc.newBlockingStub(channel);
        begin(operations, "before");

        database.changePassword("second");
        Files.writeString(file, "second\n");
        database.disconnectAll();
        Condition.await("the server writes again", () -> begins(operations, "after"));
        assertThat(failures(config)).isEmpty();

        Files.writeString(file, "third\n");
        assertThat(failures(config)).singleElement().asString().contains("password authentication");
        channel.shutdownNow();
      }
    }
  }

  private static ServerConfig config(TlsDatabase database, Path password) throws Exception {
    return ConfigReader.read(
        Map.of(
            "listen",
            "127.0.0.1:0",
            "database-url",
            database.url(),
            "database-user",
            "hapax",
            "database-password-file",
            password.toString(),
            "allow-unsafe-database",
            "true",
            "drain",
            "1s"),
        Map.of(),
        Optional.empty());
  }

  private static boolean begins(
      OperationServiceGrpc.OperationServiceBlockingStub operations, String id) {
    try {
      begin(operations, id);
      return true;
    } catch (StatusRuntimeException e) {
      // while the connections are opened again; nothing else may become of a call
      assertThat(e.getStatus().getCode()).isEqualTo(io.grpc.Status.Code.UNAVAILABLE);
      return false;
    }
  }

  private static void begin(
      OperationServiceGrpc.OperationServiceBlockingStub operations, String id) {
    var request =
        BeginOperationRequest.newBuilder()
            .setAccount("a")
            .setOperation("orders/Place")
            .setRequestId(id)
            .setAttemptId(UUID.nameUUIDFromBytes(id.getBytes(UTF_8)).toString())
            .build();
    var _ = operations.withDeadlineAfter(20, TimeUnit.SECONDS).beginOperation(request);
  }

  private static List<String> failures(ServerConfig config) throws Exception {
    var findings = new ArrayList<DatabaseFinding>();
    new Doctor(config, findings::add).examine();
    return findings.stream()
        .filter(finding -> finding.level() == Level.FAIL)
        .map(DatabaseFinding::toString)
        .toList();
  }
}
