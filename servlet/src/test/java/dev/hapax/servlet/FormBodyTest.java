package dev.hapax.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forms at the edge of what is valid. */
class FormBodyTest {

  private static final Path FOLDER = Path.of("");

  private static WholeBody body(String text) {
    return new WholeBody(ByteString.copyFromUtf8(text));
  }

  private static Map<String, String[]> parameters(String text) {
    return FormBody.of("application/x-www-form-urlencoded; charset=UTF-8", null)
        .parameters(null, body(text), List.of());
  }

  @Test
  @DisplayName("given pairs that are not encoded well, then they are read as they are")
  void pairs() {
    assertThat(parameters("")).isEmpty();
    assertThat(parameters("&&=x&a=%zz&b=c=d"))
        .containsOnlyKeys("", "a", "b")
        .containsEntry("a", new String[] {"%zz"})
        .containsEntry("b", new String[] {"c=d"});
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--b",
        "--b\r\n\r\nno end",
        "--b\r\nContent-Disposition: form-data; name=a\r\n--b--",
        "no boundary"
      })
  @DisplayName("given a multipart body that is not whole, then it is refused")
  void incomplete(String text) {
    var form = FormBody.of("multipart/form-data; boundary=b", null);
    assertThatThrownBy(() -> form.parts(body(text), FOLDER))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("given no boundary, then the body is refused; given no parts, then there are none")
  void boundary() {
    assertThatThrownBy(
            () -> FormBody.of("multipart/form-data", null).parts(body("--\r\n----"), FOLDER))
        .hasMessageContaining("boundary");
    assertThat(FormBody.of("multipart/form-data; boundary=b", null).parts(body("--b--"), FOLDER))
        .isEmpty();
  }

  @Test
  @DisplayName("given an empty part, and one without headers, then both are read")
  void parts() {
    var parts =
        FormBody.of("Multipart/Form-Data;boundary=b", null)
            .parts(
                body(
                    String.join(
                        "\r\n",
                        "--b",
                        "content-disposition: form-data; name=\"a\\\"\\b\"; filename=x.txt",
                        "",
                        "",
                        "--b",
                        "",
                        "text",
                        "--b--")),
                FOLDER);
    assertThat(parts).hasSize(2);
    assertThat(parts.get(0).getName()).isEqualTo("a\"\\b");
    assertThat(parts.get(0).getSubmittedFileName()).isEqualTo("x.txt");
    assertThat(parts.get(0).getSize()).isZero();
    assertThat(parts.get(0).getHeaderNames()).containsExactly("content-disposition");
    assertThat(parts.get(1).getName()).isEmpty();
    assertThat(parts.get(1).getSize()).isEqualTo(4);
    assertThat(parts.get(1).getContentType()).isNull();
  }
}
