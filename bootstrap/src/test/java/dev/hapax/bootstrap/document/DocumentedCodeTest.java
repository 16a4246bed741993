package dev.hapax.bootstrap.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The blocks of the documents that are no commands. */
class DocumentedCodeTest {
  /** Without a language a block would be checked by no test. */
  private static final List<String> LANGUAGES =
      List.of(
          "sh",
          "console",
          "java",
          "js",
          "ts",
          "python",
          "go",
          "csharp",
          "json",
          "properties",
          "yaml",
          "xml",
          "sql",
          "text");

  private static final Path SNIPPET = Path.of("src", "test", "docs", "Snippet.java.txt");

  /** It is compiled, and compared with its source, elsewhere. */
  private static final String OF_A_TEST = "@Test";

  private static final Pattern MEMBER =
      Pattern.compile("static .*|@\\w+\\n[^;]*\\{.*|\\w+ \\w+\\(.*\\) .*\\{.*");

  @TempDir private Path folder = Path.of("");

  private static Stream<CodeBlock> blocks() {
    return CodeBlock.pages().stream().flatMap(page -> CodeBlock.in(page).stream());
  }

  private static Stream<CodeBlock> blocks(String language) {
    return blocks().filter(block -> block.language().equals(language));
  }

  @Test
  @DisplayName("each block names its language; one that is not executed names the reason")
  void languages() {
    assertThat(blocks())
        .isNotEmpty()
        .allSatisfy(block -> assertThat(block.language()).as(block.place()).isIn(LANGUAGES))
        .filteredOn(block -> !block.isFile())
        .allSatisfy(
            block -> assertThat(block.note()).as(block.place()).matches("|not-run: \\w.{10,}"));
  }

  @Test
  @DisplayName("JSON can be read")
  void json() {
    assertThat(blocks("json"))
        .isNotEmpty()
        .allSatisfy(
            block ->
                assertThatCode(() -> JsonFormat.parser().merge(block.text(), Struct.newBuilder()))
                    .as(block.place())
                    .doesNotThrowAnyException());
  }

  @Test
  @DisplayName("Java compiles against the client, with the reader's own types around it")
  void java() throws IOException {
    var sources = new ArrayList<JavaFileObject>();
    sources.add(new Source("Snippet", "", Files.readString(SNIPPET)));
    blocks("java")
        .filter(block -> !block.text().contains(OF_A_TEST))
        .filter(block -> !block.page().equals(TutorialTest.PAGE))
        .forEach(block -> sources.add(source(block, "Block" + sources.size())));
    assertThat(sources).hasSizeGreaterThan(10);
    var problems = new DiagnosticCollector<JavaFileObject>();
    var classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    var done =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                null,
                null,
                problems,
                List.of("-proc:none", "-d", folder.toString(), "-cp", classPath),
                null,
                sources)
            .call();
    assertThat(errors(problems)).isEmpty();
    assertThat(done).isTrue();
  }

  private static List<String> errors(DiagnosticCollector<JavaFileObject> problems) {
    return problems.getDiagnostics().stream()
        .filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR)
        .map(Object::toString)
        .toList();
  }

  /** A block is a chain of a builder, members of a class, or statements of a method. */
  private static Source source(CodeBlock block, String name) {
    var code = block.text().replace("…", "");
    String body;
    if (code.startsWith(".")) {
      body = "Object block() { return hapax.worker()" + code + ".start(); }";
    } else if (MEMBER
        .matcher(code.lines().limit(3).reduce("", (a, b) -> a + b + "\n"))
        .lookingAt()) {
      body = code;
    } else {
      body = "Object block() throws Exception { if (true) { " + code + "\n} return null; }";
    }
    return new Source(name, block.place(), body);
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String code;
    private final String place;

    Source(String name, String place, String body) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.place = place;
      this.code = place.isEmpty() ? body : inClass(name, body);
    }

    private static String inClass(String name, String body) {
      return imports() + "abstract class " + name + " extends Snippet {\n" + body + "\n}\n";
    }

    private static String imports() {
      try (var lines = Files.lines(SNIPPET)) {
        return String.join("\n", lines.filter(line -> line.startsWith("import ")).toList()) + "\n";
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return code;
    }

    @Override
    public String toString() {
      return place.isEmpty() ? "Snippet" : place;
    }
  }
}
