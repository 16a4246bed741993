package dev.hapax.grpc.call;

import java.util.List;

/** Texts that are no JSON. */
final class BadJson {
  static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "{",
          "}",
          "[1,]",
          "{\"a\":1,}",
          "{a:1}",
          "'a'",
          "nul",
          "NaN",
          "Infinity",
          "01",
          "+1",
          "1.",
          ".5",
          "0x1",
          "1 2",
          "[1][2]",
          "\"a\nb\"",
          "\"\\x\"",
          "\"\\u12\"",
          "\"",
          "// x\n1",
          "/* x */1",
          "1,",
          "{\"a\"}",
          "{\"a\":}",
          "{1:2}",
          "\ufeff1",
          "\u00a01",
          "tru e",
          "[\"a\" \"b\"]",
          "-",
          "--1",
          "1e",
          "1e+",
          "True");

  private BadJson() {}
}
