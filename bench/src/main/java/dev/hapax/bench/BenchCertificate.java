package dev.hapax.bench;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A self-signed certificate for this machine, made by the JDK's keytool. */
record BenchCertificate(Path certificate, Path key) {
  private static final String ALIAS = "bench";
  private static final String PASSWORD = "changeit";

  static BenchCertificate create(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    var store = folder.resolve("bench.p12");
    var command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=127.0.0.1",
            "-ext",
            "san=ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            PASSWORD);
    var exit = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (exit != 0) {
      throw new IOException("keytool failed with exit code " + exit);
    }
    var loaded = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    var key = loaded.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
    return new BenchCertificate(
        pem(folder.resolve("tls.crt"), "CERTIFICATE", loaded.getCertificate(ALIAS).getEncoded()),
        pem(folder.resolve("tls.key"), "PRIVATE KEY", key));
  }

  private static Path pem(Path file, String label, byte[] content) throws IOException {
    var base64 = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return Files.writeString(
        file,
        "-----BEGIN %s-----%n%s%n-----END %s-----%n"
            .formatted(label, base64.encodeToString(content), label));
  }

  /** The credentials of a client that trusts the certificate. */
  ChannelCredentials trusted() throws IOException {
    return TlsChannelCredentials.newBuilder().trustManager(certificate.toFile()).build();
  }
}
