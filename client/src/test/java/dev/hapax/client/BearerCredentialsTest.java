package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hapax.v1.RunServiceGrpc;
import io.grpc.Attributes;
import io.grpc.CallCredentials;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BearerCredentialsTest {

  /** A call on a connection to this address. */
  private static final class Call extends CallCredentials.RequestInfo {
    private final SocketAddress server;
    private final SecurityLevel level;

    Call(SocketAddress server, SecurityLevel level) {
      this.server = server;
      this.level = level;
    }

    @Override
    public MethodDescriptor<?, ?> getMethodDescriptor() {
      return RunServiceGrpc.getGetRunMethod();
    }

    @Override
    public SecurityLevel getSecurityLevel() {
      return level;
    }

    @Override
    public String getAuthority() {
      return "hapax:7420";
    }

    @Override
    public Attributes getTransportAttrs() {
      return Attributes.newBuilder().set(Grpc.TRANSPORT_ATTR_REMOTE_ADDR, server).build();
    }
  }

  /** What was sent. */
  private static final class Applied extends CallCredentials.MetadataApplier {
    private Metadata headers = new Metadata();
    private Status status = Status.OK;

    @Override
    public void apply(Metadata sent) {
      headers = sent;
    }

    @Override
    public void fail(Status reason) {
      status = reason;
    }
  }

  private static Applied call(SocketAddress server, SecurityLevel level) {
    return call(BearerCredentials.ofApiKey(FakeAccess.FIRST_KEY), server, level);
  }

  private static Applied call(
      BearerCredentials credentials, SocketAddress server, SecurityLevel level) {
    Applied applied = new Applied();
    credentials.applyRequestMetadata(new Call(server, level), Runnable::run, applied);
    return applied;
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1,   PRIVACY_AND_INTEGRITY, true",
    "192.0.2.1,   INTEGRITY,             false",
    "192.0.2.1,   NONE,                  false",
    "2001:db8::1, NONE,                  false",
    "127.0.0.1,   NONE,                  true",
    "127.8.0.1,   NONE,                  true",
    "::1,         NONE,                  true"
  })
  @DisplayName("given a connection without TLS to another machine, then the key is not sent")
  void protectedOnly(String address, SecurityLevel level, boolean isSent) throws Exception {
    Applied applied = call(new InetSocketAddress(InetAddress.getByName(address), 7420), level);

    assertThat(applied.status.isOk()).isEqualTo(isSent);
    assertThat(applied.headers.keys()).hasSize(isSent ? 1 : 0);
    if (!isSent) {
      assertThat(applied.status.getCode()).isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(applied.status.getDescription())
          .isEqualTo(
              "the credentials were not sent, since the connection to hapax:7420 is not encrypted;"
                  + " connect with TLS");
    }
  }

  @Test
  @DisplayName("given an address that is no IP address, then the key is not sent without TLS")
  void unresolved() {
    var server = InetSocketAddress.createUnresolved("localhost", 7420);
    assertThat(call(server, SecurityLevel.NONE).status.isOk()).isFalse();
  }

  @Test
  @Tag("A9")
  @DisplayName("given a token in a file, then it is sent with TLS only, and never shown")
  void jwt(@TempDir Path folder) throws Exception {
    String jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln-bmF0_dXJl";
    Path file = Files.writeString(folder.resolve("jwt"), jwt + "\n");
    BearerCredentials credentials = BearerCredentials.ofJwtFile(file);
    var elsewhere = new InetSocketAddress(InetAddress.getByName("192.0.2.1"), 7420);

    assertThat(call(credentials, elsewhere, SecurityLevel.NONE).headers.keys()).isEmpty();
    assertThat(
            call(credentials, elsewhere, SecurityLevel.PRIVACY_AND_INTEGRITY)
                .headers
                .get(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER)))
        .isEqualTo("Bearer " + jwt);
    assertThat(credentials).hasToString("BearerCredentials[JWT]");
    assertThatThrownBy(() -> BearerCredentials.ofApiKey(jwt))
        .hasMessage("the value is a JWT, not an API key; name its file in HAPAX_JWT_FILE");
  }

  @Test
  @Tag("A9")
  @DisplayName("given credentials, when they are printed or rejected, then the secret is not shown")
  void secret() {
    assertThat(BearerCredentials.ofApiKey(FakeAccess.FIRST_KEY))
        .hasToString("BearerCredentials[hpx_0123456789AB]");
    assertThatThrownBy(() -> BearerCredentials.ofApiKey(FakeAccess.FIRST_KEY + "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the value is not an API key")
        .message()
        .doesNotContain("ABCDEFG");
  }
}
