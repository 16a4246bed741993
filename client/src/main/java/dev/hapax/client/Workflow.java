package dev.hapax.client;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.hapax.client.Calls.Budget;
import dev.hapax.client.internal.KeyText;
import dev.hapax.client.internal.ProtoTimes;
import dev.hapax.client.internal.Ranges;
import dev.hapax.v1.CodeStep;
import dev.hapax.v1.Definition;
import dev.hapax.v1.ErrorReason;
import dev.hapax.v1.GetDefinitionRequest;
import dev.hapax.v1.GetDefinitionResponse;
import dev.hapax.v1.RegisterDefinitionRequest;
import dev.hapax.v1.RegisterDefinitionResponse;
import dev.hapax.v1.StepDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A definition with one code step, {@code main}, and the code of that step. A worker registers it
 * and does its runs; {@link Runs} starts them. Immutable: each method returns a copy.
 *
 * <pre>{@code
 * static final Workflow<Order, String> ORDER =
 *     Workflow.of("order", "orders", Order.class, String.class, (task, order) -> {
 *       Receipt paid = task.record("pay", Receipt.class, id -> bank.pay(order, id));
 *       task.suspend("cooling-off", Duration.ofDays(14));
 *       return task.awaitSignal("address", Address.class).city();
 *     });
 * }</pre>
 *
 * @param <I> the input of its runs
 * @param <O> their output
 */
public final class Workflow<I extends @Nullable Object, O extends @Nullable Object> {

  /** The name of the step. */
  static final String STEP = "main";

  private static final Logger log = LoggerFactory.getLogger(Workflow.class);

  private final String name;
  private final String version;
  private final CodeStep step;
  private final List<dev.hapax.v1.Limit> runLimits;
  private final Codec<I> inputCodec;
  private final Codec<O> outputCodec;
  private final Code<? super I, ? extends O> code;

  /** The code of a workflow. */
  @FunctionalInterface
  public interface Code<I extends @Nullable Object, O extends @Nullable Object> {

    /**
     * Runs to the end of the run, or to its next wait; see {@link Task}.
     *
     * @return the output of the run
     * @throws Exception a failure of this execution; the next one continues from the records
     */
    O run(Task task, I input) throws Exception;
  }

  private Workflow(
      String name,
      String version,
      CodeStep step,
      List<dev.hapax.v1.Limit> runLimits,
      Codec<I> inputCodec,
      Codec<O> outputCodec,
      Code<? super I, ? extends O> code) {
    this.name = name;
    this.version = version;
    this.step = step;
    this.runLimits = runLimits;
    this.inputCodec = inputCodec;
    this.outputCodec = outputCodec;
    this.code = code;
  }

  /** As {@link #of(String, String, Codec, Codec, Code)}, with JSON of these classes. */
  public static <I, O> Workflow<I, O> of(
      String name,
      String queue,
      Class<I> input,
      Class<O> output,
      Code<? super I, ? extends O> code) {
    return of(name, queue, Codec.json(input), Codec.json(output), code);
  }

  /**
   * Returns a workflow.
   *
   * @param name of the definition, 1 to 255 characters
   * @param queue which workers of this workflow poll, 1 to 255 characters
   */
  public static <I extends @Nullable Object, O extends @Nullable Object> Workflow<I, O> of(
      String name,
      String queue,
      Codec<I> input,
      Codec<O> output,
      Code<? super I, ? extends O> code) {
    return new Workflow<>(
        KeyText.required("name", name),
        "1",
        CodeStep.newBuilder().setQueue(KeyText.required("queue", queue)).build(),
        List.of(),
        input,
        output,
        Objects.requireNonNull(code, "code"));
  }

  /**
   * The version of the definition. Default {@code 1}. A registered version never changes: another
   * lease, retry or limit needs another version; other code needs none.
   */
  public Workflow<I, O> version(String version) {
    return new Workflow<>(
        name, KeyText.required("version", version), step, runLimits, inputCodec, outputCodec, code);
  }

  private Workflow<I, O> step(CodeStep.Builder changed) {
    return new Workflow<>(name, version, changed.build(), runLimits, inputCodec, outputCodec, code);
  }

  /** After which a worker that is silent loses a task; 100 ms to 24 h. Default 30 s. */
  public Workflow<I, O> lease(Duration lease) {
    Ranges.within("lease", lease, Duration.ofMillis(100), Duration.ofHours(24));
    return step(step.toBuilder().setLease(ProtoTimes.toProto(lease)));
  }

  /**
   * The time of an execution, from the grant of its task to its end or its next wait, as {@link
   * StepOptions#attemptTimeout}. 1 s to 30 days. Default none.
   */
  public Workflow<I, O> attemptTimeout(Duration timeout) {
    Ranges.within("attemptTimeout", timeout, Duration.ofSeconds(1), Duration.ofDays(30));
    return step(step.toBuilder().setAttemptTimeout(ProtoTimes.toProto(timeout)));
  }

  /** The limits of its executions, as {@link StepOptions#limits}. Default none. */
  public Workflow<I, O> limits(Limit... limits) {
    return step(
        step.toBuilder()
            .clearLimits()
            .addAllLimits(Arrays.stream(limits).map(Limit::toProto).toList()));
  }

  /** The limits that its runs must pass to start: they count until they end. Default none. */
  public Workflow<I, O> runLimits(Limit... limits) {
    List<dev.hapax.v1.Limit> changed = Arrays.stream(limits).map(Limit::toProto).toList();
    return new Workflow<>(name, version, step, changed, inputCodec, outputCodec, code);
  }

  /** The retries of executions that fail outside of parts. Default 3 without progress. */
  public Workflow<I, O> retry(Retry retry) {
    return step(step.toBuilder().setRetry(retry.toProto()));
  }

  /** The retries of parts without their own. Default 8 attempts. */
  public Workflow<I, O> partRetry(Retry retry) {
    return step(step.toBuilder().setPartRetry(retry.toProto()));
  }

  String name() {
    return name;
  }

  String version() {
    return version;
  }

  Codec<I> inputCodec() {
    return inputCodec;
  }

  Codec<O> outputCodec() {
    return outputCodec;
  }

  String queue() {
    return step.getQueue();
  }

  /** Does the step. */
  @Nullable Object handle(Task task) throws Exception {
    I input;
    try {
      input = task.input(inputCodec);
    } catch (RuntimeException unreadable) {
      throw new FinalFailure(
          "INPUT_UNREADABLE",
          "the input of run " + task.runId() + " cannot be read: " + unreadable.getMessage(),
          unreadable);
    }
    return task.stored(outputCodec, code.run(task, input));
  }

  /**
   * Registers this version. A caller that may not do that compares it with the registered one.
   *
   * @throws IllegalStateException if another version with this name is registered
   */
  void register(Connection connection) {
    StepDefinition own = StepDefinition.newBuilder().setName(STEP).setCode(step).build();
    RegisterDefinitionRequest request =
        RegisterDefinitionRequest.newBuilder()
            .setWorkspace(connection.workspace())
            .setActor(connection.actor())
            .setName(name)
            .setVersion(version)
            .addSteps(own)
            .addAllLimits(runLimits)
            .build();
    try {
      var unused =
          connection
              .calls()
              .send(
                  request,
                  RegisterDefinitionResponse.getDefaultInstance(),
                  Budget.poll(Duration.ZERO));
    } catch (HapaxException.PermissionDenied denied) {
      compare(connection, own, denied);
    }
  }

  private void compare(
      Connection connection, StepDefinition own, HapaxException.PermissionDenied denied) {
    String which = "version \"%s\" of \"%s\"".formatted(version, name);
    Definition registered;
    try {
      registered =
          connection
              .call(
                  GetDefinitionRequest.newBuilder()
                      .setWorkspace(connection.workspace())
                      .setName(name)
                      .setVersion(version)
                      .build(),
                  GetDefinitionResponse.getDefaultInstance())
              .getDefinition();
    } catch (HapaxException.PermissionDenied unreadable) {
      log.warn("{} is not checked: this worker may neither register nor read definitions", which);
      return;
    } catch (HapaxException.Refused refused) {
      if (refused.reason() != ErrorReason.ERROR_REASON_DEFINITION_NOT_FOUND) {
        throw refused;
      }
      throw new IllegalStateException(
          which
              + " is not registered, and this worker may not register it; register it with a key"
              + " that has the permission define",
          denied);
    }
    List<String> found = new ArrayList<>();
    if (!registered.getLimitsList().equals(runLimits)) {
      found.add(
          "limits is %s (this: %s)".formatted(text(registered.getLimitsList()), text(runLimits)));
    }
    if (registered.getStepsCount() == 1) {
      addDifferences("steps[0]", own, registered.getSteps(0), found);
    } else {
      found.add("steps has " + registered.getStepsCount() + " (this: 1)");
    }
    if (!found.isEmpty()) {
      throw new IllegalStateException(
          which
              + " is registered with other steps: "
              + String.join("; ", found)
              + "; give the changed workflow another version");
    }
  }

  /** Adds the fields that are set here and have another value in the registered message. */
  private static void addDifferences(
      String path, Message own, Message registered, List<String> found) {
    for (Map.Entry<FieldDescriptor, Object> field : own.getAllFields().entrySet()) {
      FieldDescriptor key = field.getKey();
      String name = path + "." + key.getName();
      Object other = registered.getField(key);
      boolean isMessage =
          field.getValue() instanceof Message value
              && !value.getDescriptorForType().getName().equals("Duration");
      if (isMessage) {
        addDifferences(name, (Message) field.getValue(), (Message) other, found);
      } else if (!field.getValue().equals(other)) {
        boolean isUnset = key.hasPresence() && !registered.hasField(key);
        found.add(
            "%s is %s (this: %s)"
                .formatted(name, isUnset ? "unset" : text(other), text(field.getValue())));
      }
    }
  }

  private static String text(Object value) {
    return value instanceof com.google.protobuf.Duration duration
        ? ProtoTimes.toJava(duration).toString()
        : String.valueOf(value).strip().replaceAll("\\s+", " ");
  }
}
