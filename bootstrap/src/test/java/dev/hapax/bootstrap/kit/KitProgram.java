package dev.hapax.bootstrap.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import dev.hapax.bootstrap.process.HapaxProcess;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A contract program: a client in another process that does what this one says. */
final class KitProgram implements AutoCloseable {
  private static final AtomicInteger LAST_ID = new AtomicInteger();

  private final HapaxProcess process;

  KitProgram(HapaxProcess process) {
    this.process = process;
  }

  /**
   * Sends a command.
   *
   * @param fields of the command, the members of a JSON object
   * @return its number, for {@link #answer}
   */
  int send(String command, String fields) {
    var id = LAST_ID.incrementAndGet();
    var line = String.format(Locale.ROOT, "{\"id\": %d, \"do\": \"%s\", %s}", id, command, fields);
    process.type(line.replaceAll("\\s*\\n\\s*", " "));
    return id;
  }

  /** The answer to a command, which must come. */
  Struct answer(int id) {
    return await(
        line ->
            line.containsFields("id")
                && !line.containsFields("event")
                && id == line.getFieldsOrThrow("id").getNumberValue());
  }

  /** The value that the command must answer. */
  Value value(int id) {
    var answer = answer(id);
    assertThat(answer.getFieldsMap()).as("%s", answer).containsKey("value");
    return answer.getFieldsOrThrow("value");
  }

  Value ask(String command, String fields) {
    return value(send(command, fields));
  }

  /** The text that the command must answer. */
  String text(String command, String fields) {
    return ask(command, fields).getStringValue();
  }

  /** The kind of the error that the command must answer. */
  String kind(int id) {
    var answer = answer(id);
    assertThat(answer.getFieldsMap()).as("%s", answer).containsKey("error");
    return answer
        .getFieldsOrThrow("error")
        .getStructValue()
        .getFieldsOrThrow("kind")
        .getStringValue();
  }

  String kind(String command, String fields) {
    return kind(send(command, fields));
  }

  /** The event with this name and these members, which must come. */
  Struct event(String name, String... members) {
    return await(line -> isEvent(line, name, members));
  }

  /** How many such events there were so far. */
  long count(String name, String... members) {
    return lines().filter(line -> isEvent(line, name, members)).count();
  }

  private Stream<Struct> lines() {
    return process.output().stream().filter(KitProgram::isJson).map(KitJson::parse);
  }

  /** Not a warning of a JVM, and not what a closed stream leaves. */
  private static boolean isJson(String line) {
    return line.startsWith("{");
  }

  /** The events with this name so far. */
  List<Struct> events(String name) {
    return lines().filter(line -> isEvent(line, name)).toList();
  }

  private static boolean isEvent(Struct line, String name, String... members) {
    if (!KitJson.text(line, "event").equals(name)) {
      return false;
    }
    for (var i = 0; i < members.length; i += 2) {
      if (!KitJson.text(line, members[i]).equals(members[i + 1])) {
        return false;
      }
    }
    return true;
  }

  private Struct await(Predicate<Struct> wanted) {
    return KitJson.parse(
        process.awaitOutput(line -> isJson(line) && wanted.test(KitJson.parse(line))));
  }

  void open(String latch) {
    assertThat(text("open", "\"latch\": \"" + latch + "\"")).isEqualTo("opened");
  }

  HapaxProcess process() {
    return process;
  }

  @Override
  public void close() {
    process.close();
    // of the race detector of Go
    assertThat(process.errors()).noneMatch(line -> line.contains("DATA RACE"));
  }
}
