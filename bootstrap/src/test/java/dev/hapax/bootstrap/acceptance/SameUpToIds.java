package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Compares the answers of two servers or workspaces that were asked the same. A generated name in
 * the first ones has to stand for one and the same name in the others. A time only has to be there.
 */
final class SameUpToIds {
  private static final Set<String> TIMES =
      Set.of("google.protobuf.Timestamp", "google.protobuf.Duration");

  /** Has letters and digits of a random number, as ids, claims and page tokens do. */
  private static final Pattern GENERATED = Pattern.compile("[\\w.=+/-]*[0-9][\\w.=+/-]*");

  private static final int SHORTEST = 16;

  private final Map<String, String> names = new LinkedHashMap<>();

  /** Lets a name of the first stand for one of the second. */
  SameUpToIds with(String first, String second) {
    assertThat(names.put(first, second)).isIn(null, second);
    assertThat(names.entrySet().stream().filter(entry -> entry.getValue().equals(second)))
        .as("%s stands for one name", second)
        .hasSize(1);
    return this;
  }

  void compare(String where, Message first, Message second) {
    assertThat(first.getDescriptorForType())
        .as("%s: %s and %s", where, first, second)
        .isEqualTo(second.getDescriptorForType());
    assertThat(first.getAllFields().keySet())
        .as("%s: %s and %s", where, first, second)
        .isEqualTo(second.getAllFields().keySet());
    if (!TIMES.contains(first.getDescriptorForType().getFullName())) {
      first
          .getAllFields()
          .forEach(
              (field, value) ->
                  compare(where + "." + field.getName(), field, value, second.getField(field)));
    }
  }

  private void compare(String where, FieldDescriptor field, Object first, Object second) {
    if (field.isRepeated()) {
      var all = (List<?>) first;
      var others = (List<?>) second;
      assertThat(others).as(where).hasSameSizeAs(all);
      for (var i = 0; i < all.size(); i++) {
        single(where + "." + i, all.get(i), others.get(i));
      }
    } else {
      single(where, first, second);
    }
  }

  private void single(String where, Object first, Object second) {
    switch (first) {
      case Message message -> compare(where, message, (Message) second);
      case String text -> text(where, text, (String) second);
      case ByteString bytes ->
          text(where, bytes.toStringUtf8(), ((ByteString) second).toStringUtf8());
      // a fence is made of the time
      case Long number -> text(where, number.toString(), second.toString());
      default -> assertThat(second).as(where).isEqualTo(first);
    }
  }

  private static String withoutTimes(String text) {
    return text.replaceAll("[0-9]{4}-[0-9-]+T[0-9:.]+Z", "TIME");
  }

  private void text(String where, String first, String second) {
    var renamed = first;
    for (var entry : names.entrySet()) {
      renamed = renamed.replace(entry.getKey(), entry.getValue());
    }
    if (withoutTimes(renamed).equals(withoutTimes(second))) {
      return;
    }
    assertThat(List.of(first, second))
        .as(where)
        .allMatch(name -> name.length() >= SHORTEST && GENERATED.matcher(name).matches());
    with(first, second);
  }
}
