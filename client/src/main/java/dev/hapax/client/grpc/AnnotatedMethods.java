package dev.hapax.client.grpc;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the {@link Idempotent} methods of a service implementation. */
final class AnnotatedMethods {

  private AnnotatedMethods() {}

  /**
   * The rules by full method name.
   *
   * @throws IllegalArgumentException for an annotated method that is streaming or no rpc of the
   *     service
   */
  static Map<String, MethodRule> rules(Object implementation, ServerServiceDefinition service) {
    Map<String, MethodDescriptor<?, ?>> rpcs = new HashMap<>();
    for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
      MethodDescriptor<?, ?> rpc = method.getMethodDescriptor();
      rpcs.put(plain(String.valueOf(rpc.getBareMethodName())), rpc);
    }
    Map<String, MethodRule> rules = new HashMap<>();
    // superclasses too: a container may have subclassed the implementation
    for (Class<?> type = implementation.getClass(); type != null; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        Idempotent annotation = method.getAnnotation(Idempotent.class);
        if (annotation != null && !method.isBridge()) {
          String rpc = unary(method, rpcs.get(plain(method.getName()))).getFullMethodName();
          rules.putIfAbsent(rpc, MethodRule.of(annotation));
        }
      }
    }
    return rules;
  }

  static MethodDescriptor<?, ?> unary(Object where, @Nullable MethodDescriptor<?, ?> rpc) {
    if (rpc == null) {
      throw new IllegalArgumentException(where + " is @Idempotent but no rpc of this service");
    }
    if (rpc.getType() != MethodType.UNARY) {
      throw new IllegalArgumentException(
          rpc.getFullMethodName() + " is streaming: only unary methods can be idempotent");
    }
    return rpc;
  }

  /** {@code PlaceOrder}, {@code place_order} and the generated {@code placeOrder} are one name. */
  private static String plain(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }
}
