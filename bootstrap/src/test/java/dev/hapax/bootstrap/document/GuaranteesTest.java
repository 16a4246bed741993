package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.bootstrap.architecture.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Each guarantee has a row, and each row has tests, which a page of the build lists. */
class GuaranteesTest {
  private static final Path GUARANTEES = CodeBlock.root().resolve("docs/guarantees.md");
  private static final Path TESTS =
      CodeBlock.root().resolve("bootstrap/target/guarantees-tests.md");

  private static final String HEAD =
      "# Guarantees and their tests\n\n| row | module | test |\n|---|---|---|\n";
  private static final int LONGEST_LINE = 320;

  /** How many rows each part of the acceptance list has. */
  private static final Map<String, Integer> ACCEPTANCE =
      Map.of("I", 10, "R", 14, "H", 13, "C", 10, "X", 6, "A", 9, "U", 6);

  private static final Comparator<String> BY_NUMBER =
      Comparator.comparing((String row) -> row.replaceFirst("\\d+$", ""))
          .thenComparing(row -> Integer.valueOf(row.replaceFirst("\\D+", "")));

  /** The designs and reports whose rows are named with the page in front. */
  private static final String PAGE =
      "black-box|cells|clients|kill-loops|operators|public-reports|security|turns|workflows";

  private static final String ROW = "(?:(?:" + PAGE + ")-[A-Z]?|[A-Z])\\d{1,2}";

  private static final Pattern GUARANTEE = Pattern.compile("[A-Z]\\d{1,2}");

  /** A display name or the name of a repetition, which may be concatenated. */
  private static final Pattern NAME =
      Pattern.compile(
          "(?:@DisplayName\\(\\s*|@(?:Repeated|Parameterized)Test\\([^)]*name = \\s*)"
              + "((?:\"(?:[^\"\\\\]|\\\\.)*\"(?:\\s*\\+\\s*)?)+)");

  private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final Pattern ROW_FIRST = Pattern.compile("^\"" + ROW + "\\b");
  private static final Pattern LAST =
      Pattern.compile("[\\[(](" + ROW + "(?:, " + ROW + ")*)[\\])]\"$");
  private static final Pattern TAG = Pattern.compile("@Tag\\(\"(" + ROW + ")\"\\)");

  /** A method such as {@code r8TwoWorkers} has its row in its name. */
  private static final Pattern METHOD = Pattern.compile("\\bvoid ([a-z]\\d{1,2})(?=[A-Z_])");

  private static final Pattern TARGET = Pattern.compile("]\\(([^)]+)\\)");

  /** Contracts are tests, wherever they are. */
  private static final String SOURCES =
      "[^/]+/src/test/java/.*\\.java|testkit/src/main/java/.*Contract\\.java";

  @Test
  @DisplayName("given the tests, when their page is written, then its links lead to them")
  void written() throws IOException {
    Files.writeString(TESTS, HEAD + table());
    assertThat(found(TARGET, Files.readString(TESTS)))
        .hasSizeGreaterThanOrEqualTo(acceptance().size())
        .allSatisfy(target -> assertThat(TESTS.resolveSibling(target)).isRegularFile());
  }

  @Test
  @DisplayName("given the acceptance list, when tests are collected, then each row has a test")
  void covered() {
    assertThat(tests().keySet()).containsAll(acceptance());
  }

  @Test
  @DisplayName("given the guarantees, when compared with the tests, then both have the same rows")
  void promised() throws IOException {
    var promised =
        Pattern.compile("(?m)^\\| (" + ROW + ") \\| \\S.*\\. \\|$")
            .matcher(Files.readString(GUARANTEES))
            .results()
            .map(row -> row.group(1))
            .toList();
    assertThat(promised).doesNotHaveDuplicates().containsAll(acceptance());
    assertThat(tests().keySet())
        .containsAll(promised)
        .filteredOn(row -> GUARANTEE.matcher(row).matches())
        .isSubsetOf(promised);
  }

  @Test
  @DisplayName("given the guarantees, when a line is read, then it has a length for readers")
  void lines() throws IOException {
    assertThat(Files.readAllLines(GUARANTEES))
        .allSatisfy(
            line ->
                // a link's target is not shown
                assertThat(line.replaceAll("]\\([^)]*\\)", "]"))
                    .hasSizeLessThanOrEqualTo(LONGEST_LINE));
  }

  @Test
  @DisplayName("given display names, when one names rows, then they stand at its end")
  void rowsLast() {
    assertThat(
            Repository.files(SOURCES).stream()
                .map(Repository::text)
                .flatMap(source -> names(source)))
        .noneMatch(name -> ROW_FIRST.matcher(name).find());
  }

  private static Set<String> acceptance() {
    return ACCEPTANCE.entrySet().stream()
        .flatMap(
            part -> IntStream.rangeClosed(1, part.getValue()).mapToObj(row -> part.getKey() + row))
        .collect(Collectors.toSet());
  }

  private static String table() {
    return tests().entrySet().stream()
        .flatMap(row -> row.getValue().stream().map(test -> line(row.getKey(), test)))
        .collect(Collectors.joining());
  }

  private static String line(String row, String test) {
    var name = test.replaceFirst(".*/", "").replace(".java", "");
    return "| %s | %s | [`%s`](../../%s) |\n"
        .formatted(row, test.replaceFirst("/.*", ""), name, test);
  }

  /** The rows in their order, with the files of the tests that name them. */
  private static Map<String, Set<String>> tests() {
    var rows = new TreeMap<String, Set<String>>(BY_NUMBER);
    for (var file : Repository.files(SOURCES)) {
      rows(Repository.text(file))
          .forEach(row -> rows.computeIfAbsent(row, _ -> new TreeSet<>()).add(file.toString()));
    }
    return rows;
  }

  private static Stream<String> rows(String source) {
    var named = names(source).flatMap(name -> found(LAST, name));
    var tagged = found(TAG, source);
    var methods = found(METHOD, source).map(row -> row.toUpperCase(Locale.ROOT));
    return Stream.of(named, tagged, methods)
        .flatMap(found -> found)
        .flatMap(found -> Stream.of(found.split(", ")));
  }

  private static Stream<String> names(String source) {
    return NAME.matcher(source)
        .results()
        .map(name -> CONCATENATION.matcher(name.group(1)).replaceAll(""));
  }

  private static Stream<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1));
  }
}
