package dev.hapax.grpc.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.hapax.domain.Fence;
import dev.hapax.domain.Workspace;
import dev.hapax.domain.operation.KeyedIds;
import dev.hapax.domain.security.Permission;
import dev.hapax.domain.security.Principal;
import dev.hapax.domain.security.RoleGrant;
import dev.hapax.grpc.call.ApiMethods;
import dev.hapax.grpc.call.SealedClaims;
import dev.hapax.v1.Claim;
import dev.hapax.v1.WorkerServiceGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MethodRulesTest {
  private static final String FOREIGN = "foreign";
  private static final Set<String> WITHOUT_WORKSPACE =
      Set.of(
          "hapax.v1.MonitoringService/GetServerInfo",
          "hapax.v1.MonitoringService/ListServers",
          "hapax.v1.MonitoringService/ListWorkspaces",
          "hapax.v1.IdentityService/WhoAmI",
          // each call on these streams names its own
          "hapax.v1.OperationService/OperationStream",
          "hapax.v1.RunService/StartRunStream");
  private static final Principal ADMIN_OF_HOME =
      new Principal(
          Principal.Kind.API_KEY,
          "home",
          List.of(RoleGrant.parse("role=admin workspace=home,default")));

  static Stream<MethodDescriptor<?, ?>> methods() {
    return ApiMethods.all();
  }

  @Test
  @DisplayName(
      "given the methods that observers may call, then these have no side effects, and no others"
          + " have none but the one that reads by a worker's claim")
  void reads() {
    assertThat(
            methods()
                .filter(MethodRulesTest::hasNoSideEffects)
                .filter(method -> !method.equals(WorkerServiceGrpc.getListRecordsMethod())))
        .containsExactlyInAnyOrderElementsOf(methods().filter(this::isForObservers).toList());
  }

  private static boolean hasNoSideEffects(MethodDescriptor<?, ?> method) {
    var schema =
        (ProtoMethodDescriptorSupplier) Objects.requireNonNull(method.getSchemaDescriptor());
    return schema.getMethodDescriptor().getOptions().getIdempotencyLevel()
        == IdempotencyLevel.NO_SIDE_EFFECTS;
  }

  private boolean isForObservers(MethodDescriptor<?, ?> method) {
    return MethodRules.of(method).orElseThrow().permission().orElse(Permission.OBSERVE)
        == Permission.OBSERVE;
  }

  @ParameterizedTest
  @MethodSource("methods")
  @DisplayName("given a method, then it has a rule, and denies a foreign workspace [A2]")
  void everyMethodHasARuleAndAWorkspace(MethodDescriptor<?, ?> method) {
    assertThat(MethodRules.of(method)).as(method.getFullMethodName()).isPresent();
    var request = ApiMethods.request(method);
    var rule = MethodRules.of(request).orElseThrow();
    if (WITHOUT_WORKSPACE.contains(method.getFullMethodName())) {
      assertThat(request.getDescriptorForType().findFieldByName("workspace")).isNull();
      return;
    }
    assertThat(rule.denies(ADMIN_OF_HOME, rule.scope().apply(in(request, "home")))).isEmpty();
    assertThat(rule.denies(ADMIN_OF_HOME, rule.scope().apply(in(request, FOREIGN))))
        .hasValueSatisfying(denial -> assertThat(denial.workspace()).isEqualTo(FOREIGN));
  }

  /** Sets every field with this name, in the request and in messages of their own. */
  private static Message in(Message request, String workspace) {
    var builder = request.toBuilder();
    for (var field : request.getDescriptorForType().getFields()) {
      if (field.getName().equals("workspace")) {
        builder.setField(field, workspace);
      } else if (field.getName().equals("open")) {
        builder.setField(field, in((Message) request.getField(field), workspace));
      } else if (field.getName().equals("queues")) {
        builder.addRepeatedField(field, "mail");
      }
    }
    // a stream opens with the queues of a worker
    var open = request.getDescriptorForType().findFieldByName("open");
    if (open != null) {
      var opened = builder.getFieldBuilder(open);
      opened.addRepeatedField(opened.getDescriptorForType().findFieldByName("queues"), "mail");
    }
    return builder.build();
  }

  @Test
  @DisplayName("given a claim of a foreign workspace and no workspace in the request, then denied")
  void readsTheWorkspaceOfAClaim() {
    var claims =
        methods()
            .map(ApiMethods::request)
            .filter(request -> claimField(request.getDescriptorForType()).isPresent())
            .collect(Collectors.toMap(request -> request.getDescriptorForType().getName(), r -> r));
    assertThat(claims).hasSizeGreaterThan(12);
    claims.forEach(
        (name, request) -> {
          var field = claimField(request.getDescriptorForType()).orElseThrow();
          var claim =
              new SealedClaims(new KeyedIds(new byte[32]), "action_")
                  .write(new Workspace(FOREIGN), new Fence(1), new byte[8]);
          var builder = request.toBuilder();
          if (field.isRepeated()) {
            builder.addRepeatedField(field, claim);
          } else {
            builder.setField(field, claim);
          }
          var rule = MethodRules.of(request).orElseThrow();
          assertThat(rule.denies(ADMIN_OF_HOME, rule.scope().apply(builder.build())))
              .as(name)
              .hasValueSatisfying(denial -> assertThat(denial.workspace()).isEqualTo(FOREIGN));
        });
  }

  private static Optional<FieldDescriptor> claimField(Descriptor request) {
    return request.getFields().stream()
        .filter(
            field ->
                field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && field.getMessageType().getFullName().equals("hapax.v1.Claim"))
        .findFirst();
  }

  @Test
  @DisplayName("given an unknown message, then there is no rule")
  void deniesByDefault() {
    var unknown = DynamicMessage.getDefaultInstance(Claim.getDescriptor());
    assertThat(MethodRules.of(unknown)).isEmpty();
  }
}
