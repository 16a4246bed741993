package dev.hapax.domain.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.domain.json.DocumentReader;
import dev.hapax.domain.json.Violation;
import dev.hapax.domain.json.Written;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class LifecycleReaderTest {
  /** The example lifecycle with one replaced step. */
  private static final String BILLING =
      """
      { "lifecycle": "billing", "module": "billing", "entity": "invoices",
        "status_types": ["approved", "closing", "paying", "sent", "closed"],
        "steps": [
          STEPS
        ] }
      """;

  /** Without statuses, its steps may name any status. */
  private static final String EMPTY =
      """
      { "lifecycle": "empty", "module": "empty", "status_types": [], "steps": [
          { "step_key": "go", "status": "here", "successful_state": "there" } ] }
      """;

  private static final String CLOSE =
      """
      { "step_id": 20, "step_key": "close", "status": "approved",
            "successful_claim_state": { "admin": ["closing", "approved"] },
            "successful_state": { "admin": "closed" },
            "action": { "admin": "CloseBillingActionUseCase" },
            "success_after_effect": { "admin": "SendBillingEmails" } }""";

  private static LifecycleReader.Read read(String... steps) {
    return LifecycleReader.read(
        Written.of(BILLING.replace("STEPS", String.join(",\n", steps)).replace('\'', '"')));
  }

  private static List<String> rules(List<Violation> violations) {
    return violations.stream().map(Violation::rule).toList();
  }

  @Test
  @DisplayName("the seed's JSON works as it is: admin claims, system has no such step [C3]")
  void seed() {
    var read = read(CLOSE);
    assertThat(read.violations()).isEmpty();
    var lifecycle = read.lifecycle().orElseThrow();
    assertThat(lifecycle.name()).isEqualTo("billing");
    assertThat(lifecycle.module()).isEqualTo("billing");
    assertThat(lifecycle.entity()).isEqualTo("invoices");
    assertThat(lifecycle.claimStates()).containsExactly("closing");
    assertThat(lifecycle.effects()).containsExactly(Effect.plain("SendBillingEmails"));
    assertThat(lifecycle.transition("close", "admin", "approved"))
        .contains(
            new Transition(
                "close",
                "admin",
                "approved",
                Optional.of(new ClaimStates("closing", "approved")),
                "closed",
                Optional.of("CloseBillingActionUseCase"),
                Optional.of(Effect.plain("SendBillingEmails"))));
    assertThat(lifecycle.transition("close", "admin", "closed")).isEmpty();
    assertThat(lifecycle.allows("close", "admin")).isTrue();
    assertThat(lifecycle.allows("close", "system")).isFalse();
    assertThat(lifecycle.allows("open", "admin")).isFalse();
  }

  @Test
  @DisplayName("a bare value is for all, and a map goes per requester [C3]")
  void perRequester() {
    var lifecycle =
        read("""
                { 'step_key': 'close', 'status': 'approved', 'successful_state': 'closed',
                  'successful_claim_state': { 'admin': ['closing', 'approved'] },
                  'action': 'Close', 'success_after_effect': null }""")
            .lifecycle()
            .orElseThrow();
    var admin = lifecycle.transition("close", "admin", "approved").orElseThrow();
    var system = lifecycle.transition("close", "system", "approved").orElseThrow();
    assertThat(admin.claim()).isPresent();
    assertThat(system.claim()).isEmpty();
    assertThat(system.to()).isEqualTo("closed");
    assertThat(system.action()).contains("Close");
    assertThat(system.effect()).isEmpty();
  }

  @Test
  @DisplayName("claim_state is a synonym, bare or per requester")
  void synonym() {
    var lifecycle =
        read("""
                { 'step_key': 'close', 'status': 'approved', 'successful_state': 'closed',
                  'claim_state': ['closing', 'approved'], 'action': 'Close' }""")
            .lifecycle()
            .orElseThrow();
    assertThat(lifecycle.transition("close", "anybody", "approved").orElseThrow().claim())
        .contains(new ClaimStates("closing", "approved"));
  }

  private static String claiming(String claim) {
    return """
    { 'step_key': 'close', 'status': 'approved', 'successful_state': { 'admin': 'closed' },
      'action': { 'admin': 'Close' }, 'successful_claim_state': { 'admin': %s } }"""
        .formatted(claim);
  }

  @TestFactory
  @DisplayName(
      "given a lifecycle that breaks one of the six rules, then the violation names "
          + "lifecycle, step, rule and place [C4]")
  Stream<DynamicTest> rules() {
    var pay =
        """
        { 'step_key': 'pay', 'status': 'sent', 'successful_state': 'closed', 'action': 'Pay',
          'claim_state': ['closing', 'sent'] }""";
    return Stream.of(
        refused("rule-1-tuple", claiming("'closing'")),
        refused("rule-1-tuple", claiming("['closing']")),
        refused("rule-1-tuple", claiming("['closing', 'approved', 'sent']")),
        refused("rule-1-tuple", claiming("['closing', 1]")),
        refused("rule-2-known-status", claiming("['closing', 'gone']")),
        refused("rule-2-known-status", claiming("['gone', 'approved']")),
        refused("rule-3-no-op", claiming("['closing', 'closing']")),
        refused("rule-4-from-status", claiming("['approved', 'sent']")),
        refused("rule-5-to-status", claiming("['closed', 'approved']")),
        refused("rule-6-one-revert", pay, claiming("['closing', 'approved']")));
  }

  private static DynamicTest refused(String rule, String... steps) {
    return DynamicTest.dynamicTest(
        rule + ": " + String.join(" ", steps).replaceAll("\\s+", " "),
        () -> {
          var read = read(steps);
          assertThat(read.lifecycle()).isEmpty();
          assertThat(rules(read.violations())).containsExactly(rule);
          var violation = read.violations().getFirst();
          assertThat(violation.subject()).isEqualTo("lifecycle \"billing\"");
          assertThat(violation.step()).contains("close");
          assertThat(violation.pointer())
              .isEqualTo(
                  String.format(
                      Locale.ROOT, "/steps/%d/successful_claim_state/admin", steps.length - 1));
          assertThat(violation.line()).isPresent();
          assertThat(violation.text()).contains("billing", "close", rule, violation.advice());
        });
  }

  @Test
  @DisplayName("all violations are reported at once, each with its line [C4]")
  void allAtOnce() {
    var read =
        LifecycleReader.read(
            Written.of(
                """
                { "lifecycle": "billing",
                  "module": "billing",
                  "modul": "billing",
                  "status_types": ["approved", "approved", "closing"],
                  "steps": [
                    { "step_id": 1, "step_key": "close", "status": "aproved",
                      "successful_state": "closed",
                      "claim_state": ["closing"],
                      "claimstate": 1 },
                    { "step_id": 1, "step_key": "close", "status": "approved",
                      "successful_state": "approved",
                      "successful_state": "closing",
                      "claim_state": ["closing", "closing"] },
                    { "successful_claim_state": ["closing", "approved"] },
                    7
                  ] }
                """));
    assertThat(read.lifecycle()).isEmpty();
    assertThat(read.violations().stream().map(v -> v.line().orElse(0) + " " + v.rule()))
        .containsExactlyInAnyOrder(
            "12 duplicate",
            "3 unknown-field",
            "4 duplicate",
            "9 unknown-field",
            "8 rule-1-tuple",
            "14 form",
            "14 form",
            "14 form",
            "15 form",
            "6 unknown-status",
            "7 unknown-status",
            "10 duplicate",
            "13 rule-3-no-op",
            "13 rule-5-to-status",
            "14 rule-6-one-revert");
  }

  @Test
  @DisplayName("a step_key may repeat with another status, and not with the same one")
  void repeatedKeys() {
    var pay = "{ 'step_key': 'pay', 'status': '%s', 'successful_state': '%s' }";
    var lifecycle =
        read(pay.formatted("sent", "closed"), pay.formatted("approved", "sent"))
            .lifecycle()
            .orElseThrow();
    assertThat(lifecycle.transition("pay", "admin", "sent").orElseThrow().to()).isEqualTo("closed");
    assertThat(lifecycle.transition("pay", "admin", "approved").orElseThrow().to())
        .isEqualTo("sent");
    assertThat(lifecycle.transition("pay", "admin", "closed")).isEmpty();
    assertThat(read(pay.formatted("sent", "closed"), pay.formatted("sent", "sent")).violations())
        .extracting(v -> v.rule() + " " + v.pointer() + ": " + v.message())
        .containsExactly(
            "duplicate /steps/1/step_key: another step has the step_key \"pay\" with the status"
                + " \"sent\" too");
  }

  @Test
  @DisplayName("a document that is no object, or empty, is rejected without further violations")
  void nothing() {
    assertThat(rules(LifecycleReader.read(Written.of("[]")).violations())).containsOnly("form");
    assertThat(LifecycleReader.read(Written.of("{}")).violations())
        .extracting(Violation::message)
        .containsExactlyInAnyOrder(
            "\"lifecycle\" is missing",
            "\"module\" is missing",
            "\"status_types\" is missing",
            "\"steps\" is missing");
    assertThat(LifecycleReader.read(Written.of(EMPTY)).violations())
        .extracting(Violation::pointer)
        .containsExactly("/status_types");
    assertThat(
            rules(
                LifecycleReader.read(Written.of("{\"steps\": {}, \"lifecycle\": 1}")).violations()))
        .contains("form");
  }

  @Test
  @DisplayName(
      "a claim state that is entered without a claim is rejected: no janitor would free it")
  void unclaimed() {
    var read =
        read(
            CLOSE,
            "{ 'step_key': 'back', 'status': 'closed', 'successful_state': 'closing' }",
            """
            { 'step_key': 'pay', 'status': 'sent', 'successful_state': 'closed', 'action': 'Pay',
              'claim_state': ['paying', 'closing'] }""");
    assertThat(rules(read.violations()))
        .containsExactly("claim-state-unclaimed", "claim-state-unclaimed");
  }

  @Test
  @DisplayName(
      "warnings: claims without an action, requesters without successful_state, dead ends, islands")
  void warnings() {
    var read =
        read(
            """
            { 'step_key': 'close', 'status': 'approved', 'successful_state': { 'admin': 'closed' },
              'claim_state': ['closing', 'approved'], 'action': { 'system': 'Close' } }""",
            """
            { 'step_key': 'pay', 'status': 'sent', 'successful_state': { 'admin': 'closed' },
              'claim_state': { 'admin': ['paying', 'sent'] } }""");
    assertThat(read.lifecycle()).isPresent();
    assertThat(read.warnings())
        .extracting(warning -> warning.rule() + " " + warning.pointer())
        .containsExactlyInAnyOrder(
            "not-allowed /steps/0",
            "claim-without-action /steps/0/claim_state",
            "claim-without-action /steps/1/claim_state/admin",
            "unreachable /status_types/2",
            "unreachable /status_types/3",
            "dead-end /status_types/4");
  }

  @Test
  @DisplayName("a claim for all needs an action for each requester of the step")
  void claimForAll() {
    var step =
        """
        { 'step_key': 'close', 'status': 'approved', 'claim_state': ['closing', 'approved'],
          'successful_state': %s, 'action': %s }""";
    var warned = "claim-without-action";
    assertThat(rules(read(step.formatted("'closed'", "{ 'admin': 'Close' }")).warnings()))
        .contains(warned);
    assertThat(rules(read(step.formatted("'closed'", "'Close'")).warnings()))
        .doesNotContain(warned);
    assertThat(rules(read(step.formatted("{'admin': 'closed'}", "{'admin': 'Close'}")).warnings()))
        .doesNotContain(warned);
  }

  private static LifecycleReader.Read withEffects(String effects) {
    return LifecycleReader.read(
        Written.of(
            BILLING
                .replace("STEPS", CLOSE)
                .replaceFirst(
                    "\"steps\"",
                    "\"after_effects\": " + effects.replace('\'', '"') + ", \"steps\"")));
  }

  private static Effect effect(String effects) {
    var read = withEffects(effects);
    assertThat(read.violations()).isEmpty();
    var move =
        read.lifecycle().orElseThrow().transition("close", "admin", "approved").orElseThrow();
    return move.effect().orElseThrow();
  }

  @Test
  @DisplayName("an after-effect may name a definition, or have a lease and a retry of its own")
  void effects() {
    assertThat(effect("{}")).isEqualTo(Effect.plain("SendBillingEmails"));
    assertThat(effect("{ 'SendBillingEmails': { 'lease': '30s', 'retry': {} } }"))
        .as("the defaults, said")
        .isEqualTo(Effect.plain("SendBillingEmails"));
    assertThat(
            effect("{ 'SendBillingEmails': { 'definition': 'mails', 'definition_version': '2' } }"))
        .isEqualTo(new Effect("SendBillingEmails", "mails", "2"));

    var slow = effect("{ 'SendBillingEmails': { 'lease': '10m' } }");
    assertThat(slow.definition()).isEqualTo(EffectDefinition.NAME);
    assertThat(slow.version()).startsWith("SendBillingEmails@");
    assertThat(effect("{ 'SendBillingEmails': { 'lease': '10m', 'retry': { 'factor': 2 } } }"))
        .as("the same terms")
        .isEqualTo(slow);
    assertThat(
            effect(
                "{ 'SendBillingEmails': { 'lease': '10m', 'retry': { 'non_retryable': ['X'] } } }"))
        .isNotEqualTo(slow);
  }

  @Test
  @DisplayName("violations of an after-effect have their place")
  void wrongEffects() {
    assertThat(
            withEffects(
                    """
                    { 'a': { 'lease': '1ms' }, 'b': { 'lease': 5 }, 'c': { 'definition': 'x' },
                      'd': { 'definition': 'hapax.x', 'definition_version': '1', 'retry': {} },
                      'e': { 'retry': { 'max_attempts': 1001 } }, 'f': { 'retry': { 'factor': '2' } },
                      'g': { 'retry': { 'initial': '0s', 'max': '2d', 'non_retryable': 'X' } },
                      'h': { 'retry': { 'max_attempts': 2.5, 'attempts': 1 } }, 'i': 1, '': {} }""")
                .violations())
        .extracting(violation -> violation.rule() + " " + violation.pointer())
        .containsExactlyInAnyOrder(
            "form /after_effects/a/lease",
            "form /after_effects/b/lease",
            "form /after_effects/c",
            "form /after_effects/d/definition",
            "form /after_effects/d/retry",
            "form /after_effects/e/retry/max_attempts",
            "form /after_effects/f/retry/factor",
            "form /after_effects/g/retry/initial",
            "form /after_effects/g/retry/max",
            "form /after_effects/g/retry/non_retryable",
            "form /after_effects/h/retry/max_attempts",
            "unknown-field /after_effects/h/retry/attempts",
            "form /after_effects/i",
            "form /after_effects/");
  }

  private static LifecycleReader.Read withActions(String actions, String... steps) {
    return LifecycleReader.read(
        Written.of(
            BILLING
                .replace("STEPS", String.join(",\n", steps))
                .replaceFirst("\"steps\"", "\"non_idempotent_actions\": " + actions + ", \"steps\"")
                .replace('\'', '"')));
  }

  @Test
  @DisplayName("a non-idempotent action needs a claim for each of its requesters")
  void nonIdempotent() {
    var partly =
        """
        { 'step_key': 'pay', 'status': 'sent', 'successful_state': 'closed',
          'claim_state': { 'admin': ['paying', 'sent'] },
          'action': { 'admin': 'Pay', 'system': 'Pay', 'batch': 'Look' } }""";
    var free =
        "{ 'step_key': 'approve', 'status': 'sent', 'successful_state': { 'admin': 'closed' },\n"
            + " 'action': 'Pay' }";
    var read = withActions("['Pay', 'CloseBillingActionUseCase']", partly, free, CLOSE);
    assertThat(read.violations())
        .extracting(violation -> violation.rule() + " " + violation.pointer())
        .containsExactly(
            "non-idempotent-unclaimed /steps/0/action/system",
            "non-idempotent-unclaimed /steps/1/action");
    var first = read.violations().getFirst();
    assertThat(first.subject()).isEqualTo("lifecycle \"billing\"");
    assertThat(first.step()).contains("pay");
    assertThat(first.line()).hasValue(6);
    assertThat(first.message()).contains("\"system\"", "\"Pay\"");
    assertThat(withActions("['CloseBillingActionUseCase']", free, CLOSE).violations()).isEmpty();
    assertThat(withActions("['Pay', 'Pay', 7]", CLOSE).violations())
        .extracting(violation -> violation.rule() + " " + violation.pointer())
        .containsExactly("duplicate /non_idempotent_actions/1", "form /non_idempotent_actions/2");
  }

  @Test
  @DisplayName("requesters that are not named follow the rules for all, and need a claim as well")
  void nonIdempotentForAll() {
    var step =
        """
        { 'step_key': 'pay', 'status': 'sent', 'successful_state': 'closed', 'action': 'Pay',
          'claim_state': %s }""";
    assertThat(withActions("['Pay']", step.formatted("['paying', 'sent']")).violations()).isEmpty();
    assertThat(
            withActions("['Pay']", step.formatted("{ 'admin': ['paying', 'sent'] }")).violations())
        .singleElement()
        .satisfies(violation -> assertThat(violation.message()).startsWith("any requester does"));
  }

  @Test
  @DisplayName("a name that no step uses causes a warning")
  void unusedNames() {
    assertThat(withEffects("{ 'SendBilingEmails': {} }").warnings())
        .extracting(warning -> warning.rule() + " " + warning.pointer())
        .contains("unused-name /after_effects/SendBilingEmails");
    assertThat(withActions("['CloseBilling']", CLOSE).warnings())
        .extracting(warning -> warning.rule() + " " + warning.pointer())
        .contains("unused-name /non_idempotent_actions/0");
  }

  @Test
  @DisplayName("description and x_… are allowed in any object; other unknown members are rejected")
  void annotations() {
    var read =
        LifecycleReader.read(
            Written.of(
                """
                { "lifecycle": "billing", "module": "billing", "description": ["any", 1, null],
                  "status_types": ["sent", "closed"], "x_owner": { "status": 1 }, "X_owner": 1,
                  "after_effects": { "a": { "x_a": 1, "retry": { "description": "why" } } },
                  "steps": [ { "step_key": "pay", "status": "sent", "x_": null, "descriptions": 1,
                      "successful_state": { "x_bot": "closed", "description": "closed" } } ] }
                """));
    assertThat(read.violations())
        .extracting(violation -> violation.rule() + " " + violation.pointer())
        .containsExactly("unknown-field /X_owner", "unknown-field /steps/0/descriptions");
  }

  @Test
  @DisplayName("a step that begins in a claim state can never begin")
  void fromClaimState() {
    var read =
        read(
            CLOSE,
            "{ 'step_key': 'x', 'status': 'closing', 'successful_state': 'sent', 'action': 'X' }");
    assertThat(read.lifecycle()).isPresent();
    assertThat(read.warnings())
        .extracting(warning -> warning.rule() + " " + warning.pointer())
        .contains("from-claim-state /steps/1/status", "unreachable /status_types/3");
  }

  @Test
  @DisplayName(
      "given too many elements or violations, then only the first ones are read or "
          + "reported [X4]")
  void bounded() {
    var step = "{ 'a': 1, 'b': 2, 'c': 3 }";
    var many = read(Collections.nCopies(9_000, step).toArray(String[]::new)).violations();
    assertThat(many).hasSize(DocumentReader.MAX_FINDINGS);
    assertThat(many.getFirst().message()).isEqualTo("has 9000 elements");
    var statuses = Collections.nCopies(1_001, "\"approved\"");
    var read =
        LifecycleReader.read(
            Written.of(
                BILLING.replace("STEPS", "").replace("\"approved\"", String.join(",", statuses))));
    assertThat(read.violations()).hasSize(Lifecycle.MAX_STATUSES);
    assertThat(read.violations().getLast().pointer()).isEqualTo("/status_types/999");
  }

  @Test
  @DisplayName("a number is an id like any other, and not longer [X4]")
  void longNumber() {
    var id = "1".repeat(255);
    assertThat(read(CLOSE.replace("20", id)).lifecycle().orElseThrow().steps().getFirst().id())
        .contains(id);
    assertThat(read(CLOSE.replace("20", id + "1")).violations())
        .extracting(Violation::pointer)
        .containsExactly("/steps/0/step_id");
  }

  @Test
  @DisplayName(
      "names of lifecycles and statuses are short in bytes, those of steps need not " + "be [X4]")
  void shortNames() {
    var name = "\u20ac".repeat(86);
    var lifecycle = BILLING.replace("STEPS", CLOSE);
    Stream.of("closed", "billing")
        .forEach(
            each ->
                assertThat(
                        LifecycleReader.read(Written.of(lifecycle.replaceFirst(each, name)))
                            .violations())
                    .extracting(Violation::message)
                    .contains("has 258 bytes; at most 255 are allowed"));
    assertThat(read(CLOSE.replace("close\"", name + '"')).lifecycle()).isPresent();
  }

  @Test
  @DisplayName("the example lifecycle only causes warnings about unconnected statuses")
  void warningsOfSeed() {
    assertThat(rules(read(CLOSE).warnings()))
        .containsExactlyInAnyOrder(
            "unreachable", "dead-end", "unreachable", "dead-end", "dead-end");
  }
}
