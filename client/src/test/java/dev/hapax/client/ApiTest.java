package dev.hapax.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.client.PublicApi.Element;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules of the public API, and the list of it, which is reviewed. */
@Tag("J3")
class ApiTest {

  private static final Path LIST =
      Path.of("src/test/resources/dev/hapax/client").resolve("api-java.txt");

  private static final int MAX_TYPES = 80;

  private static final List<Element> API = PublicApi.elements();

  private static List<String> lines(Predicate<Element> which) {
    return API.stream().filter(which).map(Element::line).toList();
  }

  private static Predicate<Element> mentions(String type) {
    Predicate<String> found = Pattern.compile(type).asPredicate();
    return each -> found.test(each.text());
  }

  @Test
  @DisplayName("given the public API, then it is that of the list")
  void list() throws IOException {
    List<String> now = lines(any -> true);
    if ("update".equals(System.getProperty("api"))) {
      Files.createDirectories(LIST.getParent());
      Files.write(LIST, now);
    }
    assertThat(now)
        .as("callers rely on the public API; review each change, and write it by: ./dev api update")
        .containsExactlyElementsOf(Files.readAllLines(LIST));
  }

  @Test
  @DisplayName("given the public methods, then none begins with \"with\"")
  void with() {
    assertThat(lines(each -> each.name().startsWith("with"))).isEmpty();
  }

  @Test
  @DisplayName("given the public API, then only HapaxAsync returns futures")
  void futures() {
    assertThat(
            lines(
                each ->
                    mentions("CompletableFuture|CompletionStage").test(each)
                        && !each.type().equals("HapaxAsync")))
        .isEmpty();
  }

  @Test
  @DisplayName("given the public API, then types of gRPC are in channel and the package grpc alone")
  void grpc() {
    assertThat(
            lines(
                each ->
                    mentions("\\bio[.]grpc[.]").test(each)
                        && !(each.type().equals("Hapax.Builder") && each.name().equals("channel"))
                        && !each.type().startsWith("dev.hapax.client.grpc.")))
        .isEmpty();
  }

  @Test
  @DisplayName("given the public API, then types of protobuf are where messages are converted")
  void protobuf() {
    assertThat(
            lines(
                each ->
                    mentions("\\bcom[.]google[.]protobuf[.]").test(each)
                        && !each.name().equals("message")
                        && !(each.type().equals("Hapax") && each.name().equals("call"))))
        .isEmpty();
  }

  @Test
  @DisplayName(
      "given the exported packages, then none is internal, and none shows an internal type")
  void internal() {
    assertThat(PublicApi.packages()).isNotEmpty().noneMatch(each -> each.contains("internal"));
    assertThat(lines(mentions("[.]internal[.]"))).isEmpty();
  }

  @Test
  @DisplayName("given the public API, then it has at most 80 types that are not nested")
  void size() {
    List<String> types =
        PublicApi.types().stream()
            .filter(type -> type.getEnclosingClass() == null)
            .map(Class::getSimpleName)
            .toList();
    System.out.println("public types of the client: " + types.size() + " " + types);
    assertThat(types).hasSizeBetween(1, MAX_TYPES);
  }
}
