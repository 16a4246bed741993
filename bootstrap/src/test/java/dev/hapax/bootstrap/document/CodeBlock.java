package dev.hapax.bootstrap.document;

import dev.hapax.bootstrap.architecture.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A fenced block of code in a page.
 *
 * @param language the first word of its info string
 * @param note the rest of its info string
 */
public record CodeBlock(Path page, int line, String language, String note, List<String> lines) {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern FENCE = Pattern.compile("( *)```(\\S*) ?(.*)");

  /** The folder that pages are named from. */
  public static Path root() {
    return ROOT;
  }

  /** Every page for readers, in the order of a newcomer. */
  static List<Path> pages() {
    return Stream.of(
            Stream.of(Path.of("README.md")),
            Repository.files("docs/.*\\.md").stream().sorted(),
            Repository.files("kits/.*\\.md").stream().sorted())
        .flatMap(each -> each)
        .toList();
  }

  /** The blocks of a page, in their order. */
  public static List<CodeBlock> in(Path page) {
    var blocks = new ArrayList<CodeBlock>();
    CodeBlock open = null;
    var indent = "";
    var number = 0;
    for (var line : read(page)) {
      number++;
      var fence = FENCE.matcher(line);
      if (open != null && line.strip().equals("```")) {
        blocks.add(open);
        open = null;
      } else if (open != null) {
        open.lines.add(line.startsWith(indent) ? line.substring(indent.length()) : line.strip());
      } else if (fence.matches()) {
        indent = fence.group(1);
        open = new CodeBlock(page, number, fence.group(2), fence.group(3), new ArrayList<>());
      }
    }
    return blocks;
  }

  private static List<String> read(Path page) {
    try {
      return Files.readAllLines(ROOT.resolve(page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it is a program that the reader writes to the file of its note. */
  boolean isFile() {
    return note.matches("[a-z]+\\.py");
  }

  public String text() {
    return String.join("\n", lines);
  }

  /** Where it is, for messages. */
  String place() {
    return page + ":" + line;
  }
}
