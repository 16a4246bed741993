package dev.hapax.bootstrap.startup.lifecycle;

/** One lifecycle for each of the six rules, which breaks that one; and where it has to be told. */
public enum Broken {
  TUPLE("rule-1-tuple", 9, "close", "[\"closing\", \"approved\"]", "[\"closing\"]"),
  KNOWN_STATUS(
      "rule-2-known-status",
      9,
      "close",
      "[\"closing\", \"approved\"]",
      "[\"closing\", \"aproved\"]"),
  NO_OP("rule-3-no-op", 9, "close", "[\"closing\", \"approved\"]", "[\"closing\", \"closing\"]"),
  FROM_STATUS(
      "rule-4-from-status",
      9,
      "close",
      "[\"closing\", \"approved\"]",
      "[\"approved\", \"closed\"]"),
  TO_STATUS(
      "rule-5-to-status",
      9,
      "close",
      "\"successful_state\": { \"admin\": \"closed\" }",
      "\"successful_state\": { \"admin\": \"closing\" }"),
  ONE_REVERT(
      "rule-6-one-revert",
      13,
      "reopen",
      "\"action\": { \"admin\": \"Close\" }\n    }",
      """
      "action": { "admin": "Close" }
          }, { "step_key": "reopen", "status": "closed",
            "claim_state": ["closing", "closed"],
            "successful_state": "approved", "action": "Reopen"
          }\
      """);

  private final String rule;
  private final int line;
  private final String step;
  private final String text;

  Broken(String rule, int line, String step, String target, String replacement) {
    this.rule = rule;
    this.line = line;
    this.step = step;
    this.text = Samples.billing(target, replacement);
  }

  public String rule() {
    return rule;
  }

  public int line() {
    return line;
  }

  public String step() {
    return step;
  }

  public String text() {
    return text;
  }
}
