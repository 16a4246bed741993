package dev.hapax.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.hapax.console.view.LogLink;
import dev.hapax.console.web.ConsoleConfig;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A console whose API answers with what a test has prepared. */
final class PreparedConsole implements AutoCloseable {
  /** Ends an attribute, a tag, a script and an expression of a template. */
  static final String MARKUP =
      "\"'></script></text></pre><script>alert(1)</script><img src=x onerror=alert(1)>${7*7}";

  final PreparedApi api = new PreparedApi();
  final Browser browser;

  private final HandlerServer server;

  PreparedConsole() throws IOException {
    this(Optional.empty());
  }

  PreparedConsole(Optional<LogLink> logs) throws IOException {
    var config = new ConsoleConfig(Set.of("127.0.0.1"), false, logs);
    server = new HandlerServer(Console.handler(config, () -> 0), api.channel(), () -> false);
    browser = new Browser(server.origin());
  }

  /** Opens a page, which must be shown. */
  String open(String path) {
    var answer = browser.get(path);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  /** The text of a page without its tags, with single spaces. */
  String read(String path) {
    return open(path)
        .replaceAll("(?s)<head>.*?</head>", "")
        .replaceAll("<[^>]*>", "")
        .replaceAll("\\s+", " ");
  }

  /** The same message with markup in every string, also in those of the messages in it. */
  @SuppressWarnings("unchecked") // a builder builds its type
  static <M extends Message> M withMarkup(M message) {
    var builder = message.toBuilder();
    for (var field : message.getDescriptorForType().getFields()) {
      var chosen = field.getContainingOneof() == null || message.hasField(field);
      switch (field.getJavaType()) {
        case STRING -> {
          if (chosen) {
            builder.setField(field, field.isRepeated() ? List.of(MARKUP) : MARKUP);
          }
        }
        case MESSAGE -> {
          if (field.isRepeated()) {
            var inner = (List<Message>) message.getField(field);
            builder.setField(field, inner.stream().map(PreparedConsole::withMarkup).toList());
          } else if (message.hasField(field)) {
            builder.setField(field, withMarkup((Message) message.getField(field)));
          }
        }
        case INT, LONG, FLOAT, DOUBLE, BOOLEAN, BYTE_STRING, ENUM -> {}
      }
    }
    return (M) builder.build();
  }

  /** Asserts that a page shows markup as text. */
  void assertEscaped(String path) {
    assertThat(open(path))
        .as(path)
        .contains("&lt;script&gt;alert(1)")
        .doesNotContain("<script>", "<img");
  }

  static Timestamp at(Instant at) {
    return Timestamp.newBuilder().setSeconds(at.getEpochSecond()).setNanos(at.getNano()).build();
  }

  @Override
  public void close() {
    browser.close();
    server.close();
    api.close();
  }
}
