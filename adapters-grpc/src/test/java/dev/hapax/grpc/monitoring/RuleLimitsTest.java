package dev.hapax.grpc.monitoring;

import static dev.hapax.grpc.monitoring.LimitsEncoding.LIMITS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Duration;
import dev.hapax.domain.DurationText;
import dev.hapax.domain.Text;
import dev.hapax.domain.run.PartReport;
import dev.hapax.grpc.call.ApiMethods;
import dev.hapax.grpc.call.Durations;
import dev.hapax.v1.ApplyLifecyclesRequest;
import dev.hapax.v1.BeginOperationRequest;
import dev.hapax.v1.FailActionRequest;
import dev.hapax.v1.FailTaskRequest;
import dev.hapax.v1.Failure;
import dev.hapax.v1.FieldRules;
import dev.hapax.v1.JanitorContract;
import dev.hapax.v1.Payload;
import dev.hapax.v1.PollRecoveriesRequest;
import dev.hapax.v1.PollTasksRequest;
import dev.hapax.v1.RecordStepRequest;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.ReleaseTaskRequest;
import dev.hapax.v1.RetryPolicy;
import dev.hapax.v1.RulesProto;
import dev.hapax.v1.SignalStep;
import dev.hapax.v1.StartRunRequest;
import dev.hapax.v1.SuspendTaskRequest;
import dev.hapax.v1.TimerStep;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The rules in the protos have the limits of the domain, which the server tells. */
class RuleLimitsTest {

  private static FieldRules rules(Descriptor message, String field) {
    return message.findFieldByName(field).getOptions().getExtension(RulesProto.rules);
  }

  private static int items(Descriptor message, String field) {
    return rules(message, field).getMaxItems();
  }

  private static Duration most(Descriptor message, String field) {
    return length(rules(message, field).getDuration().getMax());
  }

  private static Duration length(String text) {
    return Durations.encode(DurationText.parse(text));
  }

  @Test
  @DisplayName("given lists, then they may have as many elements as the domain allows")
  void lists() {
    assertThat(items(StartRunRequest.getDescriptor(), "hooks")).isEqualTo(LIMITS.getMaxHooks());
    assertThat(items(StartRunRequest.getDescriptor(), "labels")).isEqualTo(LIMITS.getMaxLabels());
    assertThat(items(PollTasksRequest.getDescriptor(), "queues"))
        .isEqualTo(LIMITS.getMaxQueuesPerPoll());
    assertThat(items(RegisterDefinitionRequest.getDescriptor(), "steps"))
        .isEqualTo(LIMITS.getMaxSteps());
    assertThat(items(JanitorContract.getDescriptor(), "claim_states"))
        .isEqualTo(LIMITS.getMaxJanitorClaimStates());
    assertThat(items(ApplyLifecyclesRequest.getDescriptor(), "lifecycles"))
        .isEqualTo(LIMITS.getMaxLifecycles());
    assertThat(items(ApplyLifecyclesRequest.getDescriptor(), "janitors"))
        .isEqualTo(LIMITS.getMaxJanitors());
  }

  @Test
  @DisplayName("given numbers, then they have the maxima of the domain")
  void numbers() {
    assertThat(rules(PollTasksRequest.getDescriptor(), "max_tasks").getNumber().getMax())
        .isEqualTo(LIMITS.getMaxTasksPerPoll());
    assertThat(rules(PollRecoveriesRequest.getDescriptor(), "max_recoveries").getNumber().getMax())
        .isEqualTo(LIMITS.getMaxRecoveriesPerPoll());
    var policy = RetryPolicy.getDescriptor();
    assertThat(rules(policy, "max_attempts").getNumber().getMax())
        .isEqualTo(LIMITS.getMaxAttempts());
    assertThat(rules(policy, "factor").getNumber().getMax())
        .isEqualTo(dev.hapax.domain.definition.RetryPolicy.MAX_FACTOR);
    assertThat(items(policy, "non_retryable"))
        .isEqualTo(dev.hapax.domain.definition.RetryPolicy.MAX_CODES);
  }

  @Test
  @DisplayName("given durations, then they have the bounds of the domain")
  void durations() {
    assertThat(most(BeginOperationRequest.getDescriptor(), "ttl"))
        .isEqualTo(LIMITS.getMaxOperationTtl());
    assertThat(most(StartRunRequest.getDescriptor(), "key_retention"))
        .isEqualTo(LIMITS.getMaxRunKeyRetention());
    assertThat(most(StartRunRequest.Hook.getDescriptor(), "retention"))
        .isEqualTo(LIMITS.getMaxHookRetention());
    assertThat(most(FailTaskRequest.getDescriptor(), "retry_after"))
        .isEqualTo(LIMITS.getMaxRetryAfter());
    assertThat(most(ReleaseTaskRequest.getDescriptor(), "delay"))
        .isEqualTo(LIMITS.getMaxReleaseDelay());
    for (var wait :
        new Descriptor[] {SuspendTaskRequest.getDescriptor(), TimerStep.getDescriptor()}) {
      assertThat(most(wait, "duration")).isEqualTo(LIMITS.getMaxStepWait());
    }
    assertThat(most(SignalStep.getDescriptor(), "timeout")).isEqualTo(LIMITS.getMaxStepWait());
  }

  @Test
  @DisplayName("given a wait or a lease of any request, then it has the bounds of all of them")
  void everywhere() {
    ApiMethods.all()
        .map(method -> ApiMethods.request(method).getDescriptorForType())
        .flatMap(request -> request.getFields().stream())
        .forEach(
            field -> {
              var rules = field.getOptions().getExtension(RulesProto.rules).getDuration();
              if (field.getName().equals("wait")) {
                assertThat(length(rules.getMax())).isEqualTo(LIMITS.getMaxWait());
                assertThat(rules.getMin()).isEmpty();
              } else if (field.getName().equals("lease")) {
                assertThat(length(rules.getMin())).isEqualTo(LIMITS.getMinLease());
                assertThat(length(rules.getMax())).isEqualTo(LIMITS.getMaxLease());
              }
            });
  }

  @Test
  @DisplayName("given texts and bytes, then they have the lengths of the domain")
  void lengths() {
    var payload = Payload.getDescriptor();
    assertThat(rules(payload, "json").getText().getMaxBytes())
        .isEqualTo(LIMITS.getMaxPayloadBytes());
    assertThat(rules(payload, "binary").getMaxBytes()).isEqualTo(LIMITS.getMaxPayloadBytes());
    assertThat(rules(ApplyLifecyclesRequest.getDescriptor(), "lifecycles").getText().getMaxBytes())
        .isEqualTo(LIMITS.getMaxPayloadBytes());
    for (var message :
        new Descriptor[] {Failure.getDescriptor(), FailActionRequest.getDescriptor()}) {
      assertThat(rules(message, "message").getText().getMaxBytes())
          .isEqualTo(LIMITS.getMaxFailureMessageBytes());
    }
    for (var request :
        new Descriptor[] {BeginOperationRequest.getDescriptor(), StartRunRequest.getDescriptor()}) {
      assertThat(rules(request, "fingerprint").getMaxBytes())
          .isEqualTo(LIMITS.getMaxFingerprintBytes());
    }
    assertThat(rules(StartRunRequest.getDescriptor(), "idempotency_key").getText().getMaxChars())
        .isEqualTo(LIMITS.getMaxNameCharacters());
    assertThat(rules(RecordStepRequest.getDescriptor(), "name").getText().getMaxChars())
        .isEqualTo(LIMITS.getMaxPartNameCharacters());
    assertThat(rules(RecordStepRequest.getDescriptor(), "parts").getMaxItems())
        .isEqualTo(PartReport.MAX_PER_CALL);
    assertThat(rules(JanitorContract.getDescriptor(), "claim_states").getText().getMaxBytes())
        .isEqualTo(Text.MAX_SHORT_BYTES);
  }
}
