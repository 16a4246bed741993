package dev.hapax.grpc.security;

import dev.hapax.grpc.quota.LimitObserver;
import io.grpc.ServerInterceptor;

/** Decides who may make a call, or only records who made it. */
public sealed interface AccessInterceptor extends ServerInterceptor
    permits CallAuthentication, AuditLog {
  /** Whether a call needs credentials. */
  boolean authenticates();

  /** Reports the calls that are refused because of their credentials. */
  void observe(LimitObserver observer);
}
