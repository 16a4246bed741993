package dev.hapax.domain.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
  /** Those of RFC 7396, appendix A, whose patch is an object; an object is all a state can be. */
  @ParameterizedTest
  @DisplayName("a merge patch does what the examples of RFC 7396 say")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':'b'}           | {'a':'c'}             | {'a':'c'}",
        "{'a':'b'}           | {'b':'c'}             | {'a':'b','b':'c'}",
        "{'a':'b'}           | {'a':null}            | {}",
        "{'a':'b','b':'c'}   | {'a':null}            | {'b':'c'}",
        "{'a':['b']}         | {'a':'c'}             | {'a':'c'}",
        "{'a':'c'}           | {'a':['b']}           | {'a':['b']}",
        "{'a':{'b':'c'}}     | {'a':{'b':'d','c':null}} | {'a':{'b':'d'}}",
        "{'a':[{'b':'c'}]}   | {'a':[1]}             | {'a':[1]}",
        "{'e':null}          | {'a':1}               | {'e':null,'a':1}",
        "{}                  | {'a':{'bb':{'ccc':null}}} | {'a':{'bb':{}}}",
        // the target is an array there: {"a":["b"]} within
        "{'x':[1,2]}         | {'x':{'a':'b','c':null}} | {'x':{'a':'b'}}",
        // the example of section 3
        "{'a':'b','c':{'d':'e','f':'g'}} | {'a':'z','c':{'f':null}} | {'a':'z','c':{'d':'e'}}",
        // nulls within an array are values
        "{'a':1}             | {'a':[null]}          | {'a':[null]}",
        // numbers stay as they were written
        "{'a':1.0}           | {'b':1e400}           | {'a':1.0,'b':1e400}",
        "{'a':true}          | {}                    | {'a':true}"
      })
  void patches(String target, String patch, String result) {
    assertThat(parse(target).patched(parse(patch))).isEqualTo(parse(result));
    // the order of the members that were there stays
    assertThat(print(parse(target).patched(parse(patch)))).isEqualTo(unquoted(result));
  }

  @Test
  @DisplayName("a patch changes neither what it patches nor itself")
  void immutable() {
    var target = parse("{'a':{'b':1}}");
    var patch = parse("{'a':{'b':2}}");
    var patched = target.patched(patch);
    assertThat(target).isEqualTo(parse("{'a':{'b':1}}"));
    assertThat(patch).isEqualTo(parse("{'a':{'b':2}}"));
    assertThat(patched.patched(patch)).isEqualTo(patched);
  }

  @ParameterizedTest
  @DisplayName("its size is that of its text, in bytes")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}",
        "{'a':1}",
        "{'a':1,'b':[],'c':{}}",
        "{'a':[1],'b':[1,2.50],'c':[null,true,false,'']}",
        "{'a':{'b':{'c':'d'}},'e':'f'}",
        "{'ü':'€','a':'\uD83D\uDE00'}"
      })
  void size(String text) {
    assertThat(parse(text).size())
        .isEqualTo(unquoted(text).getBytes(StandardCharsets.UTF_8).length);
  }

  @Test
  @DisplayName("what has to be escaped counts as it is printed")
  void escapes() {
    assertThat(new Json.Str("\"\\\b\f\n\r\t").size()).isEqualTo(2 + 7 * 2);
    assertThat(new Json.Str("\u0000\u001f").size()).isEqualTo(2 + 2 * 6);
    assertThat(new Json.Str(" /\u007f").size()).isEqualTo(2 + 3);
    assertThat(new Json.Obj(Map.of("\"", new Json.Null())).size()).isEqualTo(2 + 4 + 1 + 4);
  }

  @Test
  @DisplayName("later changes of the inputs do not change the value")
  void copies() {
    var members = new LinkedHashMap<String, Json>(Map.of("a", new Json.Null()));
    var elements = new ArrayList<Json>(List.of(new Json.Null()));
    var object = new Json.Obj(members);
    var array = new Json.Array(elements);
    members.clear();
    elements.clear();
    assertThat(object.members()).hasSize(1);
    assertThat(array.elements()).hasSize(1);
  }

  private static Json.Obj parse(String text) {
    return (Json.Obj) new Parser(unquoted(text)).value();
  }

  private static String unquoted(String text) {
    return text.strip().replace('\'', '"');
  }

  private static String print(Json json) {
    return switch (json) {
      case Json.Obj(var members) ->
          members.entrySet().stream()
              .map(member -> '"' + member.getKey() + "\":" + print(member.getValue()))
              .toList()
              .toString()
              .replace(", ", ",")
              .replaceAll("^\\[|]$", "")
              .transform(inside -> '{' + inside + '}');
      case Json.Array(var elements) ->
          elements.stream().map(JsonTest::print).toList().toString().replace(", ", ",");
      case Json.Str(var value) -> '"' + value + '"';
      case Json.Num(var number) -> number;
      case Json.Bool(var value) -> Boolean.toString(value);
      case Json.Null _ -> "null";
    };
  }

  /** Enough of a parser for these texts: no spaces, no escapes. */
  private static final class Parser {
    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    Json value() {
      return switch (text.charAt(at)) {
        case '{' -> object();
        case '[' -> array();
        case '"' -> new Json.Str(string());
        default -> word();
      };
    }

    private Json.Obj object() {
      var members = new LinkedHashMap<String, Json>();
      while (isMore('}')) {
        var name = string();
        at++;
        members.put(name, value());
      }
      return new Json.Obj(members);
    }

    private Json.Array array() {
      var elements = new ArrayList<Json>();
      while (isMore(']')) {
        elements.add(value());
      }
      return new Json.Array(elements);
    }

    /** Steps over the bracket or comma it is at, and the closing bracket. */
    private boolean isMore(char end) {
      if (text.charAt(at) != end) {
        at++;
      }
      if (text.charAt(at) != end) {
        return true;
      }
      at++;
      return false;
    }

    private String string() {
      var end = text.indexOf('"', at + 1);
      var value = text.substring(at + 1, end);
      at = end + 1;
      return value;
    }

    private Json word() {
      var from = at;
      while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      var word = text.substring(from, at);
      return switch (word) {
        case "null" -> new Json.Null();
        case "true", "false" -> new Json.Bool(word.equals("true"));
        default -> new Json.Num(word);
      };
    }
  }
}
