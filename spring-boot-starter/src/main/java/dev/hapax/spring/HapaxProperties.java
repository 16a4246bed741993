package dev.hapax.spring;

import dev.hapax.client.OnCodeChange;
import dev.hapax.servlet.Idempotent;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code hapax.*}. Those of the connection have the names of the variables of the
 * {@code hapax} command, such as {@code HAPAX_SERVER}. {@code hapax.tls.ca} and {@code
 * hapax.tls.bundle} are read beside them, since {@code HAPAX_TLS} is a value of its own.
 *
 * @param server {@code HOST:PORT}, or {@code https://HOST:PORT} for TLS; several are a list
 * @param tls whether the connection uses TLS
 * @param apiKey the API key
 * @param apiKeyFile a file with the API key, which is read again when it changes
 * @param jwtFile a file with a JSON Web Token, which is read again when it changes
 * @param workspace the tenant; empty is the default of the server
 * @param actor the name of the application in histories; empty is {@code client}
 * @param callTimeout how long to repeat a call before work has begun
 * @param worker the worker of the {@link StepHandler} beans
 * @param http the idempotency of HTTP handlers
 * @param tracing where the spans of tasks go
 */
@ConfigurationProperties("hapax")
public record HapaxProperties(
    @DefaultValue("127.0.0.1:7420") String server,
    @DefaultValue("false") boolean tls,
    @Nullable String apiKey,
    @Nullable String apiKeyFile,
    @Nullable String jwtFile,
    @DefaultValue("") String workspace,
    @DefaultValue("") String actor,
    @DefaultValue("10s") Duration callTimeout,
    @DefaultValue Worker worker,
    @DefaultValue Http http,
    @DefaultValue("auto") Tracing tracing) {

  /**
   * The worker of the {@link StepHandler} beans.
   *
   * @param enabled whether to start it
   * @param concurrency the largest number of concurrent tasks
   * @param id the name of the worker in histories; without one it is drawn
   * @param onCodeChange what to do with runs that the code of a workflow does not fit
   */
  public record Worker(
      @DefaultValue("true") boolean enabled,
      @DefaultValue("64") int concurrency,
      @Nullable String id,
      @DefaultValue("release") OnCodeChange onCodeChange) {}

  /**
   * HTTP.
   *
   * @param idempotency of handlers
   */
  public record Http(@DefaultValue Idempotency idempotency) {}

  /**
   * The idempotency of HTTP handlers.
   *
   * @param enabled whether handlers without {@link Idempotent} are idempotent, too
   * @param methods the methods of those handlers, and of those of an annotated class
   * @param required whether a request without a key is refused, if its handler is not annotated
   * @param lease after how long a process that died is replaced; null = 60 s
   * @param maxBody the largest body of a request with a key
   * @param accountHeader the header with the account, which the gateway must set; null = the
   *     account is the principal
   */
  public record Idempotency(
      @DefaultValue("false") boolean enabled,
      @DefaultValue({"POST", "PATCH"}) List<String> methods,
      @DefaultValue("false") boolean required,
      @Nullable Duration lease,
      @DefaultValue("1MB") DataSize maxBody,
      @Nullable String accountHeader) {

    /** Copies the methods. */
    public Idempotency {
      methods = List.copyOf(methods);
    }
  }

  /** Where the spans of tasks go. */
  public enum Tracing {
    /** To Micrometer if the application has a {@code Tracer}, else as {@link #OTEL}. */
    AUTO,
    /** To the global OpenTelemetry if there is one. */
    OTEL,
    /** To the {@code ObservationRegistry}, as {@code hapax.task}. */
    OBSERVATION,
    /** Tasks have no spans. */
    OFF
  }
}
