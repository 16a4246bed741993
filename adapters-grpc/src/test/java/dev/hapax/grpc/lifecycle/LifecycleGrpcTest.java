package dev.hapax.grpc.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.hapax.domain.Workspace;
import dev.hapax.domain.lifecycle.RetireStatuses;
import dev.hapax.grpc.call.Refusal;
import dev.hapax.grpc.entity.ClaimServices;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.ApplyLifecyclesResponse;
import dev.hapax.v1.GetLifecycleRequest;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.JanitorMode;
import dev.hapax.v1.Lifecycle;
import dev.hapax.v1.LifecycleViolation;
import dev.hapax.v1.ListLifecyclesRequest;
import dev.hapax.v1.ValidateLifecycleRequest;
import dev.hapax.v1.ValidateLifecycleResponse;
import io.grpc.Status.Code;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class LifecycleGrpcTest {
  private static final String CLAIM = "{ \"admin\": [\"closing\", \"approved\"] }";
  private final ClaimServices services = new ClaimServices();

  @AfterEach
  void close() {
    services.close();
  }

  private ApplyLifecyclesResponse applyAll(ApplyLifecyclesRequest.Builder request) {
    return services.lifecycles().applyLifecycles(request.build());
  }

  private ApplyLifecyclesResponse.Applied apply(String json) {
    return applyAll(ApplyLifecyclesRequest.newBuilder().addLifecycles(json)).getLifecycles(0);
  }

  private ValidateLifecycleResponse validate(String json) {
    return services
        .lifecycles()
        .validateLifecycle(ValidateLifecycleRequest.newBuilder().setJson(json).build());
  }

  private Lifecycle get() {
    return services
        .lifecycles()
        .getLifecycle(GetLifecycleRequest.newBuilder().setName("billing").build())
        .getLifecycle();
  }

  @Test
  @DisplayName(
      "given the seed's JSON, when it is applied, then GetLifecycle returns an equal " + "one [C3]")
  void applied() {
    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    var response =
        applyAll(ApplyLifecyclesRequest.newBuilder().addLifecycles(ClaimServices.BILLING));
    var applied = response.getLifecycles(0);
    assertThat(applied.getAlready()).isFalse();
    assertThat(response.getWarningsList())
        .extracting(LifecycleViolation::getRule)
        .containsExactly("dead-end", "dead-end");
    var lifecycle = applied.getLifecycle();
    assertThat(lifecycle.getName()).isEqualTo("billing");
    assertThat(lifecycle.getModule()).isEqualTo("accounting");
    assertThat(lifecycle.getEntity()).isEqualTo("invoices");
    assertThat(lifecycle.getVersion()).isOne();
    assertThat(lifecycle.getStatusTypesList())
        .containsExactly("approved", "closing", "closed", "void");
    assertThat(lifecycle.getClaimStatesList()).containsExactly("closing");
    assertThat(get().toBuilder().clearJson().build()).isEqualTo(lifecycle);

    var again = apply(get().getJson());
    assertThat(again.getAlready()).isTrue();
    assertThat(again.getLifecycle()).isEqualTo(lifecycle);

    var changed = apply(ClaimServices.BILLING.replace("SendBillingEmails", "SendLetters"));
    assertThat(changed.getAlready()).isFalse();
    assertThat(changed.getLifecycle().getVersion()).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "given descriptions, then they are kept, and an action that needs a claim must have one")
  void annotationsAndActions() {
    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    var described =
        ClaimServices.BILLING
            .replaceFirst(
                "\"steps\"",
                "\"description\": \"Ours\", \"non_idempotent_actions\":"
                    + " [\"CloseBillingActionUseCase\"], \"steps\"")
            .replace("\"step_id\": 20,", "\"step_id\": 20, \"x_page\": 7,");
    var _ = apply(described);
    assertThat(get().getJson())
        .contains("\"description\":\"Ours\"", "\"x_page\":7", "\"non_idempotent_actions\"");
    assertThat(apply(get().getJson()).getAlready()).isTrue();

    var violation =
        validate(described.replace("[\"CloseBillingActionUseCase\"]", "[\"CloseBilling\"]"))
            .getViolations(0);
    assertThat(violation.getRule()).isEqualTo("non-idempotent-unclaimed");
    assertThat(violation.getLifecycle()).isEqualTo("billing");
    assertThat(violation.getStep()).isEqualTo("close");
    assertThat(violation.getPointer()).isEqualTo("/steps/0/action/system");
    assertThat(violation.getLine()).isEqualTo(7);
  }

  @Test
  @DisplayName("given an applied version, then its actor and reason are returned")
  void attribution() {
    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    assertThat(apply(ClaimServices.BILLING).getLifecycle().getAppliedBy()).isEqualTo("client");
    var request =
        ApplyLifecyclesRequest.newBuilder()
            .addLifecycles(ClaimServices.BILLING.replace("SendBillingEmails", "SendLetters"))
            .setActor("ann")
            .setReason("no more mails")
            .build();
    var _ = services.lifecycles().applyLifecycles(request);
    assertThat(get().getAppliedBy()).isEqualTo("ann");
    assertThat(get().getReason()).isEqualTo("no more mails");
    assertThat(
            services
                .lifecycles()
                .listLifecycles(ListLifecyclesRequest.getDefaultInstance())
                .getLifecycles(0)
                .getReason())
        .isEqualTo("no more mails");
    var again = request.toBuilder().setActor("bob").build();
    assertThat(services.lifecycles().applyLifecycles(again).getLifecycles(0).getAlready()).isTrue();
    assertThat(get().getAppliedBy()).isEqualTo("ann");
    var tooLong = request.toBuilder().setReason("x".repeat(256)).build();
    assertThat(Refusal.of(() -> services.lifecycles().applyLifecycles(tooLong)).fields())
        .containsExactly("reason");
  }

  @TestFactory
  @DisplayName(
      "given a violation, then the error has lifecycle, step and rule, and nothing "
          + "is applied [C4]")
  Stream<DynamicTest> rules() {
    return Map.of(
            "rule-1-tuple", "{ \"admin\": [\"closing\"] }",
            "rule-2-known-status", "{ \"admin\": [\"closinng\", \"approved\"] }",
            "rule-3-no-op", "{ \"admin\": [\"closing\", \"closing\"] }",
            "rule-4-from-status", "{ \"admin\": [\"approved\", \"void\"] }",
            "rule-5-to-status", "{ \"admin\": [\"closed\", \"approved\"] }",
            "rule-6-one-revert",
                CLAIM
                    + ", \"successful_state\": \"void\" }, { \"step_key\": \"shut\", \"status\":"
                    + " \"void\", \"claim_state\": [\"closing\", \"void\"]")
        .entrySet()
        .stream()
        .map(
            broken ->
                DynamicTest.dynamicTest(
                    broken.getKey(), () -> assertBroken(broken.getKey(), broken.getValue())));
  }

  private void assertBroken(String rule, String claim) {
    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    var json = ClaimServices.BILLING.replace(CLAIM, claim);
    var refused = Refusal.of(() -> apply(json));
    assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT);
    assertThat(refused.reason()).isEqualTo("LIFECYCLE_INVALID");
    var matching = refused.violations().stream().filter(v -> v.getDescription().contains(rule));
    assertThat(matching)
        .isNotEmpty()
        .allSatisfy(
            violation -> {
              assertThat(violation.getField()).startsWith("lifecycles[0]/steps/");
              assertThat(violation.getDescription())
                  .contains("lifecycle \"billing\", step \"", "line ");
            });
    assertThat(validate(json).getViolationsList())
        .filteredOn(violation -> violation.getRule().equals(rule))
        .isNotEmpty()
        .allSatisfy(
            violation -> {
              assertThat(violation.getLifecycle()).isEqualTo("billing");
              assertThat(violation.getStep()).isNotEmpty();
              assertThat(violation.getLine()).isGreaterThan(4);
              assertThat(violation.getPointer()).startsWith("/steps/");
              assertThat(violation.getAdvice()).isNotEmpty();
            });
    assertThat(Refusal.of(this::get).reason()).isEqualTo("LIFECYCLE_NOT_FOUND");
  }

  @Test
  @DisplayName(
      "given several violations, then the details have all and the message the first " + "[C4]")
  void all() {
    var refused = Refusal.of(() -> apply("{ \"lifecycle\": \"billing\",\n\"modul\": \"x\" }"));
    assertThat(refused.message())
        .isEqualTo(
            "lifecycle \"billing\": \"modul\" is not a field (unknown-field; line 2; /modul)."
                + " Remove it; there are after_effects, entity, lifecycle, module,"
                + " non_idempotent_actions, status_types, steps.; and 3 more");
    assertThat(refused.fields())
        .containsExactly("lifecycles[0]/modul", "lifecycles[0]", "lifecycles[0]", "lifecycles[0]");
    assertThat(refused.metadata())
        .containsEntry("lifecycle", "billing")
        .containsEntry("rule", "unknown-field");
  }

  @Test
  @DisplayName(
      "given thousands of violations, then some are reported, and that there are " + "more [X4]")
  void tooMuch() {
    var steps = String.join(",", Collections.nCopies(9_000, "{\"a\":1,\"b\":2}"));
    var refused = Refusal.of(() -> apply("{\"lifecycle\":\"x\",\"steps\":[" + steps + "]}"));
    assertThat(refused.reason()).isEqualTo("LIFECYCLE_INVALID");
    assertThat(refused.message()).endsWith("; and at least 999 more");
  }

  @Test
  @DisplayName(
      "given a validation, then it returns violations or warnings and applies " + "nothing [C4]")
  void validates() {
    var fine = validate(ClaimServices.BILLING);
    assertThat(fine.getViolationsList()).isEmpty();
    assertThat(fine.getWarningsCount()).isEqualTo(2);
    assertThat(fine.getWarnings(0).getLifecycle()).isEqualTo("billing");
    assertThat(Refusal.of(this::get).code()).isEqualTo(Code.NOT_FOUND);

    var broken = validate("{ \"lifecycle\": ");
    assertThat(broken.getViolationsList())
        .extracting(LifecycleViolation::getRule)
        .containsExactly("form");
    assertThat(broken.getViolations(0).getMessage()).startsWith("is not JSON at line 1");

    var twice =
        validate(
            ClaimServices.BILLING.replace(
                "\"status_types\"", "\"module\": \"x\", \"status_types\""));
    assertThat(twice.getViolationsList())
        .extracting(LifecycleViolation::getRule, LifecycleViolation::getPointer)
        .containsExactly(tuple("duplicate", "/module"));
  }

  @Test
  @DisplayName(
      "given JSON that is missing, malformed, too large or too deep, then the error "
          + "names it [X4]")
  void unreadable() {
    for (var json :
        new String[] {
          "",
          "[",
          "[]",
          "null",
          "x".repeat(300_000),
          "[".repeat(65) + "]".repeat(65),
          "{ \"lifecycle\": \"\\u0000\" }",
          "{ \"lifecycle\": \"\\ud800\" }"
        }) {
      var refused = Refusal.of(() -> apply(json));
      assertThat(refused.code()).isEqualTo(Code.INVALID_ARGUMENT);
      assertThat(refused.fields())
          .isNotEmpty()
          .allMatch(field -> field.startsWith("lifecycles[0]"));
    }
    assertThat(Refusal.of(() -> validate("")).fields()).containsExactly("json");
    assertThat(Refusal.of(() -> validate("x".repeat(300_000))).message())
        .isEqualTo("json has 300000 bytes; at most 262144 are allowed");
  }

  @Test
  @DisplayName(
      "given a claim state, then it is rejected by name unless a janitor covers it " + "[C5]")
  void coverage() {
    var refused = Refusal.of(() -> apply(ClaimServices.BILLING));
    assertThat(refused.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refused.reason()).isEqualTo("CLAIM_STATE_UNCOVERED");
    assertThat(refused.message()).contains("\"billing\"", "\"closing\"", "\"accounting\"");
    assertThat(refused.metadata())
        .containsEntry("lifecycle", "billing")
        .containsEntry("claim_state", "closing")
        .containsEntry("module", "accounting");
    assertThat(refused.preconditions())
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.getType()).isEqualTo("CLAIM_STATE_UNCOVERED");
              assertThat(each.getSubject()).isEqualTo("billing/closing");
            });
    services.declare(JanitorMode.JANITOR_MODE_HOSTED);
    assertThat(apply(ClaimServices.BILLING).getLifecycle().getVersion()).isOne();
  }

  @Test
  @DisplayName(
      "given a change that would strand entities, then the error names them and nothing changes")
  void inUse() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    services.create("inv-2");
    var claim = services.claimed("inv-2").getClaim();
    var without = ClaimServices.BILLING.replace("approved", "accepted");
    var refused = Refusal.of(() -> apply(without));
    assertThat(refused.code()).isEqualTo(Code.FAILED_PRECONDITION);
    assertThat(refused.reason()).isEqualTo("LIFECYCLE_IN_USE");
    assertThat(refused.metadata())
        .containsEntry("lifecycle", "billing")
        .containsEntry("statuses", "approved");
    assertThat(refused.preconditions())
        .extracting(each -> each.getSubject() + " " + each.getDescription())
        .containsExactlyInAnyOrder(
            "inv-1 is \"approved\"",
            "inv-2 is \"closing\", claimed by \"ann\" for \"close\" since 2026-01-01T00:00:00Z");
    assertThat(get().getVersion()).isOne();
    assertThat(services.complete(claim).hasCompleted()).isTrue();
    assertThat(services.complete(services.claimed("inv-1").getClaim()).hasCompleted()).isTrue();
    // no entity is left
    assertThat(apply(without).getLifecycle().getVersion()).isEqualTo(2);
  }

  @Test
  @DisplayName("given a concurrent change, then the error says to retry")
  void changing() {
    services.prepare(JanitorMode.JANITOR_MODE_HOSTED);
    var other = new RetireStatuses(Workspace.DEFAULT, 7, Map.of("billing", Set.of("void")));
    assertThat(services.ledger.submit(other).join()).isEmpty();
    var refused =
        Refusal.of(() -> apply(ClaimServices.BILLING.replace("\"void\"", "\"cancelled\"")));
    assertThat(refused.code()).isEqualTo(Code.UNAVAILABLE);
    assertThat(refused.reason()).isEqualTo("LIFECYCLE_CHANGING");
    assertThat(refused.retryAfter()).isPresent();
  }

  private static JanitorContract contract(String... states) {
    return JanitorContract.newBuilder()
        .setModule(ClaimServices.MODULE)
        .addAllClaimStates(List.of(states))
        .build();
  }

  @Test
  @DisplayName("a lifecycle and its contract are applied by one call, and renamed by one [C5]")
  void together() {
    var first =
        ApplyLifecyclesRequest.newBuilder()
            .addLifecycles(ClaimServices.BILLING)
            .addJanitors(contract("closing"));
    var response = applyAll(first);
    assertThat(response.getLifecycles(0).getLifecycle().getVersion()).isOne();
    assertThat(response.getJanitors(0).getAlready()).isFalse();
    assertThat(response.getJanitors(0).getContract().getEvery().getSeconds()).isEqualTo(120);
    var again = applyAll(first);
    assertThat(again.getLifecycles(0).getAlready()).isTrue();
    assertThat(again.getJanitors(0).getAlready()).isTrue();

    var renamed =
        ApplyLifecyclesRequest.newBuilder()
            .addLifecycles(ClaimServices.BILLING.replace("closing", "shutting"))
            .addJanitors(contract("shutting"));
    assertThat(Refusal.of(() -> applyAll(renamed.clone().clearJanitors())).reason())
        .isEqualTo("CLAIM_STATE_UNCOVERED");
    assertThat(Refusal.of(() -> applyAll(renamed.clone().clearLifecycles())).reason())
        .isEqualTo("CLAIM_STATE_UNCOVERED");
    assertThat(get().getVersion()).isOne();
    assertThat(applyAll(renamed).getLifecycles(0).getLifecycle().getVersion()).isEqualTo(2);
    assertThat(get().getClaimStatesList()).containsExactly("shutting");
  }

  @Test
  @DisplayName("given a set with an invalid lifecycle or contract, then nothing of it is applied")
  void invalidTogether() {
    var good = ClaimServices.BILLING.replace("\"billing\",", "\"orders\",");
    var request =
        ApplyLifecyclesRequest.newBuilder()
            .addLifecycles(good)
            .addLifecycles(ClaimServices.BILLING.replace(CLAIM, "[\"closing\"]"))
            .addJanitors(contract("closing"));
    var refused = Refusal.of(() -> applyAll(request));
    assertThat(refused.reason()).isEqualTo("LIFECYCLE_INVALID");
    assertThat(refused.metadata()).containsEntry("lifecycle", "billing");
    assertThat(refused.fields())
        .isNotEmpty()
        .allMatch(field -> field.startsWith("lifecycles[1]/steps/0/"));
    var mode = contract("closing").toBuilder().setModeValue(9);
    assertFields(request.clone().clearLifecycles().addJanitors(mode), "janitors[1].mode");
    assertFields(request.clone().clearLifecycles().addJanitors(contract("x")), "janitors");
    assertFields(
        ApplyLifecyclesRequest.newBuilder().addLifecycles(good).addLifecycles(good), "lifecycles");
    assertFields(ApplyLifecyclesRequest.newBuilder(), "lifecycles");
    assertThat(
            services
                .lifecycles()
                .listLifecycles(ListLifecyclesRequest.getDefaultInstance())
                .getLifecyclesList())
        .isEmpty();
  }

  private void assertFields(ApplyLifecyclesRequest.Builder request, String field) {
    assertThat(Refusal.of(() -> applyAll(request)).fields()).containsExactly(field);
  }

  @Test
  @DisplayName("given lifecycles, then they are listed by name, page by page, without their JSON")
  void lists() {
    for (var name : new String[] {"c", "a", "b"}) {
      apply(
          """
          { "lifecycle": "NAME", "module": "m", "status_types": ["s", "t"],
            "steps": [ { "step_key": "go", "status": "s", "successful_state": "t" } ] }
          """
              .replace("NAME", name));
    }
    var names = new ArrayList<String>();
    var request = ListLifecyclesRequest.newBuilder().setPageSize(2);
    var pages = 0;
    do {
      var page = services.lifecycles().listLifecycles(request.build());
      page.getLifecyclesList()
          .forEach(
              lifecycle -> {
                names.add(lifecycle.getName());
                assertThat(lifecycle.getJson()).isEmpty();
              });
      request.setPageToken(page.getNextPageToken());
      pages++;
    } while (!request.getPageToken().isEmpty());
    assertThat(names).containsExactly("a", "b", "c");
    assertThat(pages).isEqualTo(2);
    var elsewhere = ListLifecyclesRequest.newBuilder().setWorkspace("elsewhere").build();
    assertThat(services.lifecycles().listLifecycles(elsewhere).getLifecyclesList()).isEmpty();
  }
}
