package dev.hapax.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/** A self-signed certificate and its key in PEM files; it is its own authority. */
public record SelfSigned(Path certificate, Path privateKey) {

  private static final String PASSWORD = "changeit";

  /**
   * Makes a certificate with the JDK's keytool.
   *
   * @param name a subject alternative name, such as {@code dns:localhost}
   */
  public static SelfSigned create(Path folder, String name) throws Exception {
    String file = name.replaceAll("\\W", "-");
    Path store = folder.resolve(file + ".p12");
    run(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-alias",
            "it",
            "-keyalg",
            "EC",
            "-dname",
            "CN=test",
            "-ext",
            "san=" + name,
            "-storepass",
            PASSWORD,
            "-keystore",
            store.toString()));
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    return new SelfSigned(
        pem(folder.resolve(file + ".crt"), "CERTIFICATE", keys.getCertificate("it").getEncoded()),
        pem(folder.resolve(file + ".key"), "PRIVATE KEY", privateKey(keys)));
  }

  private static byte[] privateKey(KeyStore keys) throws GeneralSecurityException {
    return Objects.requireNonNull(keys.getKey("it", PASSWORD.toCharArray())).getEncoded();
  }

  private static Path pem(Path file, String type, byte[] content) throws IOException {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        file, "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(type, base64));
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException(command + ": " + output);
    }
  }
}
