package dev.hapax.bootstrap.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What commands say about their arguments and about what answers them; needs no server. */
class ClientErrorsTest {
  @TempDir private Path folder = Path.of("");

  private record Said(int code, String err) {}

  private static Said hapax(Map<String, String> environment, String... arguments) {
    var err = new StringWriter();
    int code =
        HapaxCommand.commandLine(environment)
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new Said(code, err.toString());
  }

  private static Said hapax(String... arguments) {
    return hapax(Map.of("HAPAX_SERVER", "127.0.0.1:1"), arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://127.0.0.1:7420 | must be HOST:PORT, without http://",
        "localhost | must be HOST:PORT",
        "127.0.0.1:1,localhost | must be HOST:PORT",
        "::1:7420 | an IPv6 address needs brackets: [::1]:7420"
      })
  @DisplayName("given an address in another form, when a server is named, then the form is shown")
  void address(String address, String rule) {
    var option = hapax("run", "get", "run_x", "--server", address);
    assertThat(option.code()).isEqualTo(2);
    assertThat(option.err()).startsWith("hapax: --server=" + address + ": " + rule + "\n");

    var variable = hapax(Map.of("HAPAX_SERVER", address), "run", "get", "run_x");
    assertThat(variable.code()).isEqualTo(2);
    assertThat(variable.err()).startsWith("hapax: HAPAX_SERVER=" + address + ": " + rule + "\n");
  }

  @Test
  @DisplayName("given a host that does not resolve, when it is called, then the message says so")
  void unknownHost() {
    var said = hapax("run", "get", "run_x", "--server", "nosuch.invalid:7420");

    assertThat(said.code()).isEqualTo(1);
    assertThat(said.err())
        .isEqualTo(
            "hapax: cannot resolve the host of nosuch.invalid:7420: check --server or"
                + " HAPAX_SERVER\n");
  }

  @Test
  @DisplayName("given a port that speaks HTTP/1.1, when it is called, then --listen is explained")
  void metricsPort() throws IOException {
    var http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.start();
    try {
      var address = "127.0.0.1:" + http.getAddress().getPort();
      var said = hapax("run", "get", "run_x", "--server", address);

      assertThat(said.code()).isEqualTo(1);
      assertThat(said.err())
          .startsWith("hapax: the server at " + address + " does not speak gRPC: --server")
          .hasLineCount(1);
    } finally {
      http.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "{\"a\": 1,}", "{\"a\": 1} x", ""})
  @DisplayName("given bad JSON, when it is an argument, then the exit code is 2, with its place")
  void json(String text) throws IOException {
    var typed = hapax("run", "start", "d", "--input", text);
    assertThat(typed.code()).isEqualTo(2);
    assertThat(typed.err())
        .containsPattern(
            "the value (is not JSON at line 1, column \\d+|is empty, but must be JSON)");

    var file = Files.writeString(folder.resolve("input.json"), "\n\n" + text);
    var read = hapax("run", "signal", "run_x", "--payload", "@" + file);
    assertThat(read.code()).isEqualTo(2);
    assertThat(read.err())
        .containsPattern("the file \\S+ (is not JSON at line 3, column \\d+|is empty)");

    var resolve =
        hapax(
            "operation",
            "resolve",
            "--operation=o",
            "--request-id=r",
            "--reason=x",
            "--complete",
            "--result-json",
            text);
    assertThat(resolve.code()).isEqualTo(2);
    assertThat(resolve.err()).contains("the value is ");
  }

  @Test
  @DisplayName("given a file that is missing or unreadable, then its name and why are said")
  void files() throws IOException {
    var missing = folder.resolve("missing");
    var latin = Files.write(folder.resolve("latin"), "\"é\"".getBytes(StandardCharsets.ISO_8859_1));

    assertThat(hapax("run", "start", "d", "--input", "@" + missing).err())
        .contains("the file " + missing + " does not exist")
        .doesNotContain("Exception");
    assertThat(hapax("run", "start", "d", "--input", "@" + folder).err())
        .contains("the file " + folder + " is a folder, not a file");
    assertThat(hapax("run", "start", "d", "--input", "@" + latin).err()).contains(" is not UTF-8");
    assertThat(
            hapax(
                "operation",
                "resolve",
                "--operation=o",
                "--request-id=r",
                "--reason=x",
                "--complete",
                "--result-file",
                missing.toString()))
        .isEqualTo(new Said(1, "hapax: the file " + missing + " does not exist\n"));
    assertThat(hapax("serve", "--config", missing.toString()))
        .isEqualTo(new Said(2, "hapax: the file " + missing + " does not exist\n"));
    var definition = hapax("definition", "apply", missing.toString());
    assertThat(definition.code()).isEqualTo(2);
    assertThat(definition.err()).contains(missing + ": does not exist");
  }
}
