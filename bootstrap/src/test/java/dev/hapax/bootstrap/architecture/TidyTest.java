package dev.hapax.bootstrap.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How the files of this repository are kept. */
final class TidyTest {
  /** The migrations up to this number make the schema of the first release, by feature. */
  private static final int FIRST_RELEASE = 15;

  private static final int LONGEST_TYPE = 300;

  /** Contracts are tests, wherever they are. */
  private static final int LONGEST_TEST = 800;

  private static final int MEDIAN_TYPE = 60;

  private static final Set<String> KNOWN_HOSTS =
      Set.of(
          "127.0.0.1",
          "HOST",
          "adoptium.net",
          "cloud.google.com",
          "cwiki.apache.org",
          "aws.amazon.com",
          "developer.mozilla.org",
          "github.com",
          "hapax.dev",
          "json-schema.org",
          "keepachangelog.com",
          "martin.kleppmann.com",
          "maven.apache.org",
          "node-postgres.com",
          "opencollective.com",
          "semver.org",
          "www.debian.org",
          "www.rfc-editor.org",
          "www.apache.org",
          "www.postgresql.org",
          "opentelemetry.io",
          "www.w3.org");

  /** Reserved for documents and tests (RFC 2606, RFC 5737), and this machine. */
  private static final String NO_HOST = "localhost|(.+\\.)?example(\\.com)?|192\\.0\\.2\\.\\d+";

  /** They say where Maven comes from. */
  private static final String WRAPPER = "mvnw|mvnw\\.cmd|\\.mvn/wrapper/.*";

  /** Not to find itself. */
  private static final String THIS = ".*/TidyTest\\.java";

  private static final String TEXTS =
      ".*\\.(md|proto|java|jte|py|ts|go|sql|yaml|yml|xml)|\\.ci/.*|hapax|dev|bench/run";

  /** The account of an unprivileged process. */
  private static final Pattern ACCOUNT =
      Pattern.compile("\"--\", \"nobody\"|--reuid=nobody|chown nobody ");

  private static final Pattern IMPORT = Pattern.compile("^(package|import) ");

  @Test
  @DisplayName("no type exceeds its maximum length, and half of them are short")
  void length() {
    var lengths = new ArrayList<Long>();
    var tooLong = new ArrayList<String>();
    for (var file : Repository.files("[^/]+/src/(main|test)/java/.*\\.java")) {
      var name = file.toString();
      var isTest = name.contains("/src/test/") || name.startsWith("testkit/");
      var lines = lines(Repository.text(file));
      if (lines > (isTest ? LONGEST_TEST : LONGEST_TYPE)) {
        tooLong.add(String.format(Locale.ROOT, "%s has %d lines", name, lines));
      }
      if (!isTest) {
        lengths.add(lines);
      }
    }
    assertThat(tooLong).isEmpty();
    assertThat(lengths.stream().sorted().skip(lengths.size() / 2).findFirst())
        .hasValueSatisfying(median -> assertThat(median).isLessThanOrEqualTo(MEDIAN_TYPE));
  }

  /** The lines of a type, without its package and imports. */
  private static long lines(String source) {
    return source.lines().filter(line -> !IMPORT.matcher(line).find()).count();
  }

  @Test
  @DisplayName("no comment contains a TODO")
  void leftovers() {
    assertThat(found(".*", "\\b(TODO|FIXME|XXX)\\b", THIS)).isEmpty();
  }

  @Test
  @DisplayName("documents, protos, code, tests and scripts name the agent of each sentence")
  void language() {
    assertThat(
            found(
                TEXTS,
                "(?i)(?<!`)\\b(nobody(?!`|\\(\\))|whoever|somebody|(is|are|was) told|a look|looks at)\\b",
                THIS))
        .filteredOn(line -> !ACCOUNT.matcher(line).find())
        .isEmpty();
  }

  /** What a Java program of a user has on its class path. */
  private static final String LIBRARIES =
      "(client|servlet|micrometer|spring-boot-starter|testing|outbox)/src/main/java/.*\\.java";

  private static final String SERVER = "(?!" + LIBRARIES + ")[^/]+/src/main/java/.*\\.java";

  @Test
  @DisplayName("a class is found by its simple name: no two of the server have the same")
  void simpleNames() {
    assertThat(sameNames(SERVER)).isEmpty();
  }

  @Test
  @DisplayName("no two classes of the Java libraries have the same name, but an annotation")
  void simpleNamesOfLibraries() {
    assertThat(sameNames(LIBRARIES)).containsExactly("Idempotent");
  }

  private static Set<String> sameNames(String files) {
    var all = new TreeSet<>(Set.of("package-info", "module-info"));
    var same = new TreeSet<String>();
    for (var file : Repository.files(files)) {
      var name = file.getFileName().toString().replace(".java", "");
      if (!all.add(name)) {
        same.add(name);
      }
    }
    same.removeAll(Set.of("package-info", "module-info"));
    return same;
  }

  @Test
  @DisplayName("no file contains an absolute path of a machine")
  void machine() {
    assertThat(found(".*", "(^|[\\s\"'(=:`])/(work|root|home|tmp|Users)/[\\w.]", THIS)).isEmpty();
  }

  @Test
  @DisplayName("no file contains a URL of an unknown host")
  void hosts() {
    var url = Pattern.compile("https?://(?:[^/@\\s\"'`)]*@)?([A-Za-z0-9.-]+)");
    var unknown = new TreeSet<String>();
    for (var file : Repository.files()) {
      if (file.toString().matches(THIS + "|" + WRAPPER)) {
        continue;
      }
      var matcher = url.matcher(Repository.textIfAny(file).orElse(""));
      while (matcher.find()) {
        if (!KNOWN_HOSTS.contains(matcher.group(1)) && !matcher.group(1).matches(NO_HOST)) {
          unknown.add(file + ": " + matcher.group(1));
        }
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(Repository.text(Path.of(".mvn/wrapper/maven-wrapper.properties")))
        .contains("distributionUrl=https://repo.maven.apache.org/maven2/org/apache/maven/");
  }

  @Test
  @DisplayName(
      "migrations have no gap, and each after the first release makes or changes one table at most")
  void migrations() {
    var table =
        Pattern.compile(
            "(?:CREATE TABLE|ALTER TABLE|CREATE (?:UNIQUE )?INDEX(?: CONCURRENTLY)? \\w+ ON)"
                + "(?: IF (?:NOT )?EXISTS| ONLY)* (?:hapax\\.)?(\\w+)",
            Pattern.CASE_INSENSITIVE);
    var files = Repository.files("adapters-postgres/src/main/resources/db/migration/.*\\.sql");
    var number = 0;
    for (var file : files.stream().sorted().toList()) {
      number++;
      assertThat(file.getFileName().toString())
          .matches(String.format(Locale.ROOT, "V%03d__[a-z_]+\\.sql", number));
      var tables =
          table
              .matcher(Repository.text(file))
              .results()
              .map(match -> match.group(1))
              .collect(Collectors.toSet());
      if (number > FIRST_RELEASE) {
        assertThat(tables).as(file.toString()).hasSizeLessThanOrEqualTo(1);
      }
    }
    assertThat(number).isPositive();
  }

  @Test
  @DisplayName("every reason of an error is used, in one place that makes errors")
  void reasons() {
    var reasons =
        Pattern.compile("(ERROR_REASON_\\w+) = [1-9]")
            .matcher(Repository.text(Path.of("proto/src/main/proto/hapax/v1/error_reason.proto")))
            .results()
            .map(match -> match.group(1))
            .toList();
    var used =
        Repository.files("adapters-grpc/src/main/java/.*").stream()
            .map(Repository::text)
            .collect(Collectors.joining());
    assertThat(reasons)
        .isNotEmpty()
        .allMatch(reason -> used.matches("(?s).*\\b" + reason + "\\b.*"));
  }

  @Test
  @DisplayName("the generated tables carry no time and no author")
  void generated() {
    assertThat(found("adapters-postgres/src/generated/.*", "@Generated|\\bdate\\s*=", THIS))
        .isEmpty();
  }

  /** File, line number and line of each match, but in files that match {@code except}. */
  private static List<String> found(String files, String pattern, String except) {
    var wanted = Pattern.compile(pattern);
    var found = new ArrayList<String>();
    for (var file : Repository.files(files)) {
      if (file.toString().matches(except + "|" + WRAPPER)) {
        continue;
      }
      var number = 0;
      for (var line : Repository.textIfAny(file).orElse("").lines().toList()) {
        number++;
        if (wanted.matcher(line).find()) {
          found.add(file + ":" + number + ": " + line.strip());
        }
      }
    }
    return found;
  }
}
