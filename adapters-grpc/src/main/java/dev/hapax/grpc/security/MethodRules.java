package dev.hapax.grpc.security;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Finds what each method requires of its caller. A method without a rule may not be called. */
public final class MethodRules {
  public static final MethodRules ALL = all();

  private final Map<String, MethodRule<?>> byMethod;
  private final Map<Descriptor, MethodRule<?>> byRequest;

  private MethodRules(RuleSet rules) {
    this.byMethod = Map.copyOf(rules.byMethod);
    this.byRequest = Map.copyOf(rules.byRequest);
  }

  private static MethodRules all() {
    var rules = new RuleSet();
    ReadRules.addTo(rules);
    ChangeRules.addTo(rules);
    return new MethodRules(rules);
  }

  /** The rule of a method; empty = deny. */
  @SuppressWarnings("unchecked") // put() pairs each method with a rule for its requests
  <Q> Optional<MethodRule<Q>> of(MethodDescriptor<Q, ?> method) {
    return Optional.ofNullable((MethodRule<Q>) byMethod.get(method.getFullMethodName()));
  }

  /** Whether callers without credentials may call this method. */
  public boolean isPublic(String fullMethodName) {
    var rule = byMethod.get(fullMethodName);
    return rule != null && rule.isPublic();
  }

  /** The rule of the method with this request, which a stream carries. */
  @SuppressWarnings("unchecked") // as above
  Optional<MethodRule<Message>> of(Message request) {
    return Optional.ofNullable((MethodRule<Message>) byRequest.get(request.getDescriptorForType()));
  }

  /** Collects the rules. */
  static final class RuleSet {
    private final Map<String, MethodRule<?>> byMethod = new HashMap<>();
    private final Map<Descriptor, MethodRule<?>> byRequest = new HashMap<>();

    <Q> RuleSet put(MethodDescriptor<Q, ?> method, MethodRule<Q> rule) {
      if (byMethod.put(method.getFullMethodName(), rule) != null) {
        throw new IllegalStateException(method.getFullMethodName() + " has two rules");
      }
      var other = byRequest.put(requestType(method), rule);
      if (other != null && !other.equals(rule)) {
        throw new IllegalStateException(
            method.getFullMethodName() + " shares its request with a method of another rule");
      }
      return this;
    }

    private static Descriptor requestType(MethodDescriptor<?, ?> method) {
      var marshaller = (PrototypeMarshaller<?>) method.getRequestMarshaller();
      return ((Message) Objects.requireNonNull(marshaller.getMessagePrototype()))
          .getDescriptorForType();
    }
  }
}
