package dev.hapax.domain.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DocumentTest {
  private static final Document DOCUMENT =
      new Document(Json.Obj.EMPTY, Map.of("", 1, "/a", 2, "/a/0", 3), List.of("/a/0/b"));

  @Test
  @DisplayName("a value without a line has the line of its parent")
  void lines() {
    assertThat(DOCUMENT.line("/a/0")).hasValue(3);
    assertThat(DOCUMENT.line("/a/0/b/c")).hasValue(3);
    assertThat(DOCUMENT.line("/a/1")).hasValue(2);
    assertThat(DOCUMENT.line("/b")).hasValue(1);
    assertThat(Document.of(Json.Obj.EMPTY).line("/a")).isEmpty();
  }

  @Test
  @DisplayName("pointers are those of RFC 6901")
  void pointers() {
    assertThat(Document.pointer("/a", "b/c~d")).isEqualTo("/a/b~1c~0d");
  }

  @Test
  @DisplayName("a violation says what, where, by which rule, and what to do")
  void text() {
    var reader = new DocumentReader(DOCUMENT);
    reader.found(Optional.of("close"), "rule-9", "", "is wrong", "Mend it.");
    assertThat(reader.violations("lifecycle \"x\""))
        .extracting(Violation::text)
        .containsExactly(
            "lifecycle \"x\": \"b\" is listed twice (duplicate; line 3; /a/0/b). Keep one of them.",
            "lifecycle \"x\", step \"close\": is wrong (rule-9; line 1). Mend it.");
    assertThat(
            new Violation("s", Optional.empty(), "r", "/a", OptionalInt.empty(), "m", "A.").text())
        .isEqualTo("s: m (r; /a). A.");
  }
}
