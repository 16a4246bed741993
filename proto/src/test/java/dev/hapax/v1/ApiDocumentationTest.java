package dev.hapax.v1;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.rpc.Code;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The protos are the reference: a reader of one needs no other page. */
class ApiDocumentationTest {
  private static final String REASON = "hapax.v1.ErrorReason.ERROR_REASON_";
  private static final String READ =
      ".*\\.(Get|List|Count|Watch|Await|Explain|Validate|WhoAmI)[^.]*";
  private static final List<String> UNSENT = List.of("UNSPECIFIED");

  /** Not of one rpc: a defect. */
  private static final List<String> OF_NO_RPC = List.of("INTERNAL");

  private final List<Api.Element> elements = Api.elements();

  @Test
  @DisplayName("every message, field, oneof, enum, value, service and rpc has a comment")
  void comments() {
    assertThat(elements.stream().filter(e -> e.comment().isEmpty()).map(Api.Element::line))
        .isEmpty();
  }

  @Test
  @DisplayName("a comment is a sentence")
  void sentences() {
    assertThat(
            elements.stream()
                .filter(e -> !e.comment().endsWith(".") && !e.comment().endsWith(")"))
                .map(e -> e.name() + ": " + e.comment()))
        .isEmpty();
  }

  @Test
  @DisplayName("every rpc names its errors, with codes and reasons that exist")
  void errors() {
    for (var rpc : of("rpc").toList()) {
      assertThat(rpc.comment()).as(rpc.name()).contains("Errors: ");
      var errors = rpc.comment().substring(rpc.comment().indexOf("Errors: "));
      assertThat(
              Stream.of(errors.split("[^A-Z_]+"))
                  .filter(word -> word.contains("_"))
                  .filter(word -> !codes().contains(word)))
          .as(rpc.name())
          .isSubsetOf(reasons());
    }
  }

  @Test
  @DisplayName("every rpc whose name says that it reads has no side effects, and no other one")
  void reads() {
    assertThat(of("read").map(Api.Element::name).toList())
        .isEqualTo(of("rpc").map(Api.Element::name).filter(name -> name.matches(READ)).toList());
  }

  @Test
  @DisplayName("what a comment says of a limit is the rule that the server checks")
  void limits() {
    var comments =
        elements.stream()
            .collect(
                Collectors.toMap(
                    Api.Element::name, Api.Element::comment, (first, second) -> first));
    var wrong = new ArrayList<String>();
    for (var field : requestFields()) {
      var rules = field.getOptions().getExtension(RulesProto.rules);
      var comment = comments.get(field.getFullName());
      var said = Pattern.compile("([0-9,]+)( emoji)? characters").matcher(comment);
      if (rules.hasText()
          && said.find()
          && Integer.parseInt(said.group(1).replace(",", "")) != rules.getText().getMaxChars()) {
        wrong.add(field.getFullName() + ": " + said.group());
      }
      // a list says how many it needs
      if (comment.matches(".*Required[.;].*") != (rules.getRequired() && !saysHowMany(field))) {
        wrong.add(field.getFullName() + ": required is " + rules.getRequired());
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static boolean saysHowMany(FieldDescriptor field) {
    return field.isRepeated() || field.getContainingOneof() != null;
  }

  private static List<FieldDescriptor> requestFields() {
    return OpenApi.services().stream()
        .flatMap(service -> service.getMethods().stream())
        .map(MethodDescriptor::getInputType)
        .distinct()
        .flatMap(request -> request.getFields().stream())
        .toList();
  }

  @Test
  @DisplayName("every rpc that changes something says what makes it safe to send again")
  void keys() {
    assertThat(
            of("rpc")
                .filter(rpc -> !rpc.name().matches(READ))
                .filter(rpc -> !rpc.comment().contains("Idempotent by "))
                .map(Api.Element::name))
        .isEmpty();
  }

  @Test
  @DisplayName("every reason tells its status code, and a service says which calls can get it")
  void reasonsAreDocumented() {
    var told = of("service", "rpc").map(Api.Element::comment).collect(Collectors.joining(" "));
    for (var reason : of("value").filter(value -> value.name().startsWith(REASON)).toList()) {
      var name = reason.name().substring(REASON.length());
      if (UNSENT.contains(name)) {
        continue;
      }
      assertThat(codes()).as(reason.name()).contains(reason.comment().replaceAll(":.*", ""));
      if (!OF_NO_RPC.contains(name)) {
        assertThat(told).as(reason.name()).containsPattern("\\b" + name + "\\b");
      }
    }
  }

  @Test
  @DisplayName(
      "every enum and oneof that clients read says what to do with a value of a later server")
  void unknownValues() {
    var read = new HashSet<String>();
    of("message")
        .map(Api.Element::name)
        .filter(name -> name.endsWith("Response"))
        .forEach(name -> read(name, read));
    assertThat(
            Stream.concat(
                    of("enum").filter(type -> read.contains(type.name())),
                    of("oneof").filter(oneof -> read.contains(owner(oneof))))
                .filter(each -> !each.comment().contains("Later servers may "))
                .map(Api.Element::name))
        .isEmpty();
  }

  /** Adds the type and those of its fields. */
  private void read(String type, Set<String> read) {
    if (read.add(type)) {
      of("field")
          .filter(field -> owner(field).equals(type))
          .flatMap(field -> Stream.of(field.line().split("[ ,<>]+")))
          .filter(word -> word.startsWith("hapax."))
          .forEach(word -> read(word, read));
    }
  }

  private static String owner(Api.Element part) {
    return part.name().substring(0, part.name().lastIndexOf('.'));
  }

  private Stream<Api.Element> of(String... kinds) {
    return elements.stream().filter(e -> List.of(kinds).contains(e.kind()));
  }

  private List<String> reasons() {
    return elements.stream()
        .map(Api.Element::name)
        .filter(name -> name.startsWith(REASON))
        .map(name -> name.substring(REASON.length()))
        .toList();
  }

  private static List<String> codes() {
    return Arrays.stream(Code.values()).map(Code::name).toList();
  }
}
