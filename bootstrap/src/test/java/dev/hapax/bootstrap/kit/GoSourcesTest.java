package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The files of the Go kit, without the tools of Go. */
class GoSourcesTest {
  private static final String PUBLISHED = "hapax.dev/kits/go";

  /** A folder with a go.mod, and its sources. */
  private record Module(String folder, String sources) {
    Path file(String name) {
      return GoKit.SOURCES.resolve(folder).resolve(name);
    }

    List<String> lines(String pattern) throws IOException {
      return all(Pattern.compile("(?m)^\\t?" + pattern + "$"), Files.readString(file("go.mod")));
    }
  }

  private static final Module KIT =
      new Module(".", "(hapax|hapaxtest|hapaxv1|internal)/[a-z_./]+\\.go");

  /** Not part of what users fetch. */
  private static final List<Module> OTHERS =
      List.of(new Module("contract", "[a-z]+\\.go"), new Module("examples", "[a-z]+/[a-z]+\\.go"));

  /** The bytes of the descriptor in a generated file. */
  private static final Pattern DESCRIPTOR = Pattern.compile("_rawDesc = \\[\\]byte\\{([^}]+)\\}");

  private static final Pattern BYTE = Pattern.compile("0x([0-9a-f]{2})");

  private static List<String> all(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(found -> found.group(1)).toList();
  }

  @Test
  @DisplayName("given the protos, then the messages of the Go kit are those of this API")
  void messages() throws IOException {
    var expected =
        DescriptorSet.ofApi().getFileList().stream()
            .filter(file -> file.getName().startsWith("hapax/"))
            .toList();
    var generated =
        KitSourcesTest.files(GoKit.SOURCES.resolve("hapaxv1"), ".+\\.pb\\.go").stream()
            .map(GoSourcesTest::descriptor)
            .toList();
    assertThat(generated).as("run kits/go/generate").containsExactlyInAnyOrderElementsOf(expected);
  }

  private static FileDescriptorProto descriptor(Path generated) {
    try {
      var bytes = new ByteArrayOutputStream();
      var texts = all(DESCRIPTOR, Files.readString(generated));
      assertThat(texts).as("%s", generated).hasSize(1);
      all(BYTE, texts.getFirst()).forEach(each -> bytes.write(Integer.parseInt(each, 16)));
      var file =
          FileDescriptorProto.parseFrom(bytes.toByteArray(), DescriptorSet.OPTIONS).toBuilder();
      file.getMessageTypeBuilderList().forEach(GoSourcesTest::withoutJsonNames);
      file.getExtensionBuilderList().forEach(extension -> extension.clearJsonName());
      return file.build();
    } catch (IOException e) {
      throw new AssertionError(generated.toString(), e);
    }
  }

  /** Only the descriptors of Go spell them out. */
  private static void withoutJsonNames(DescriptorProto.Builder message) {
    message.getFieldBuilderList().forEach(field -> field.clearJsonName());
    message.getNestedTypeBuilderList().forEach(GoSourcesTest::withoutJsonNames);
  }

  @Test
  @DisplayName("given the published module, then it can be required: no replace and no exclude")
  void published() throws IOException {
    assertThat(KIT.lines("module (\\S+)")).containsExactly(PUBLISHED);
    assertThat(KIT.lines("((replace|exclude|retract|toolchain)\\b.*)")).isEmpty();
    for (var other : OTHERS) {
      assertThat(other.lines("module (\\S+)")).containsExactly(PUBLISHED + "/" + other.folder());
      assertThat(other.lines("(replace\\b.*)")).containsExactly("replace " + PUBLISHED + " => ../");
    }
  }

  @Test
  @DisplayName("given the published module, then no driver of a database gets into users' go.sum")
  void drivers() throws IOException {
    for (var file : List.of("go.mod", "go.sum")) {
      assertThat(Files.readString(KIT.file(file))).doesNotContain("lib/pq", "pgx");
    }
  }

  @Test
  @DisplayName("given a Go module, then it requires what it imports, and go.sum has each of it")
  void requirements() throws IOException {
    check(KIT);
    for (var other : OTHERS) {
      check(other);
    }
  }

  private static void check(Module module) throws IOException {
    var required = module.lines("(?:require )?([a-z.]+/\\S+) v\\S+(?: // indirect)?");
    var imports = Pattern.compile("\n(?:import)?\\s(?:\\w+ )?\"([a-z]+\\.[a-z.]+/[^\"]+)\"");
    var name = module.lines("module (\\S+)").getFirst();
    for (var file : KitSourcesTest.files(module.file("."), module.sources())) {
      for (var found : all(imports, Files.readString(file))) {
        if (!found.startsWith(name + "/")) {
          assertThat(required)
              .as("%s imports %s", file, found)
              .anyMatch(each -> (found + "/").startsWith(each + "/"));
        }
      }
    }
    var sums = Files.readString(module.file("go.sum"));
    for (var each : required) {
      if (!each.equals(PUBLISHED)) {
        assertThat(sums).contains(each + " v");
      }
    }
  }

  @Test
  @DisplayName(
      "given the Go module, then its folder has the license: a module has only what is in it")
  void license() {
    assertThat(GoKit.SOURCES.resolve("LICENSE"))
        .hasSameTextualContentAs(Kit.FOLDER.resolveSibling("LICENSE"));
  }
}
