package dev.hapax.application.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hapax.application.definition.Definitions;
import dev.hapax.application.hook.Hooks;
import dev.hapax.application.intent.Intents;
import dev.hapax.application.janitor.Janitors;
import dev.hapax.application.run.RunServices;
import dev.hapax.application.security.ApiKeys;
import dev.hapax.application.waiting.WaiterQuota;
import dev.hapax.domain.Fingerprint;
import dev.hapax.domain.intent.IntentReads;
import dev.hapax.domain.janitor.JanitorReads;
import dev.hapax.domain.run.RunReads;
import dev.hapax.domain.security.ApiKeyReads;
import dev.hapax.domain.security.ApiKeyRing;
import dev.hapax.testkit.ManualScheduler;
import dev.hapax.testkit.SettableClock;
import dev.hapax.testkit.definition.InMemoryDefinitionReads;
import dev.hapax.testkit.entity.InMemoryEntityReads;
import dev.hapax.testkit.hook.InMemoryHookReads;
import dev.hapax.testkit.intent.SimulatedInbox;
import dev.hapax.testkit.janitor.InMemoryJanitorReads;
import dev.hapax.testkit.ledger.InMemoryLedger;
import dev.hapax.testkit.run.InMemoryRunReads;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each loop, while its ports or its clock throw errors. */
@Tag("security-M1")
class BackgroundLoopsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final SettableClock time = new SettableClock();
  private final ManualScheduler timer = new ManualScheduler(time);
  private final InMemoryLedger ledger = new InMemoryLedger(time);
  private boolean readsThrow;
  private boolean clockThrows;
  private int reads;

  enum Loop {
    RUNS(test -> test.runs().start()),
    INTENTS(test -> test.intents().start()),
    JANITORS(test -> test.janitors().start()),
    API_KEYS(test -> test.apiKeys().refreshEvery(test.timer));

    private final Consumer<BackgroundLoopsTest> start;

    Loop(Consumer<BackgroundLoopsTest> start) {
      this.start = start;
    }
  }

  private InstantSource clock() {
    return this::now;
  }

  private Instant now() {
    if (clockThrows) {
      throw new StackOverflowError("in the clock");
    }
    return time.instant();
  }

  /** The port as it is, which counts its calls, and throws while reads throw. */
  private <T> T port(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              reads++;
              if (readsThrow) {
                throw new StackOverflowError("in a read");
              }
              try {
                return method.invoke(real, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private RunServices runs() {
    return new RunServices(
        ledger,
        port(RunReads.class, new InMemoryRunReads(ledger, time)),
        new WaiterQuota(),
        clock(),
        () -> 1,
        timer);
  }

  private Intents intents() {
    var runs = runs().runs();
    return new Intents(
        ledger,
        port(IntentReads.class, new SimulatedInbox(ledger, time)),
        new Definitions(ledger, new InMemoryDefinitionReads(ledger)),
        runs,
        new Hooks(ledger, new InMemoryHookReads(ledger, time), runs),
        _ -> Fingerprint.of(new byte[0]),
        new WaiterQuota(),
        clock(),
        timer);
  }

  private Janitors janitors() {
    return new Janitors(
        ledger,
        new InMemoryEntityReads(ledger, time),
        port(JanitorReads.class, new InMemoryJanitorReads(ledger, time)),
        runs().runs(),
        new WaiterQuota(),
        clock(),
        () -> 1,
        timer);
  }

  private ApiKeys apiKeys() {
    return new ApiKeys(
        port(ApiKeyReads.class, new NoKeys()), _ -> new CompletableFuture<>(), clock());
  }

  private record NoKeys() implements ApiKeyReads {
    @Override
    public CompletableFuture<Long> revision() {
      return CompletableFuture.completedFuture(1L);
    }

    @Override
    public CompletableFuture<ApiKeyRing> live() {
      return CompletableFuture.completedFuture(ApiKeyRing.EMPTY);
    }
  }

  private int readsOf(Duration span) {
    var before = reads;
    timer.advance(span);
    return reads - before;
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("given errors of its reads and of its clock, then a loop goes on as before")
  void goesOn(Loop loop) {
    loop.start.accept(this);
    timer.advance(MINUTE);
    var usual = readsOf(MINUTE);
    assertThat(usual).isPositive();

    readsThrow = true;
    assertThat(readsOf(MINUTE)).as("it tries again").isGreaterThan(1);
    readsThrow = false;
    clockThrows = true;
    timer.advance(MINUTE);
    clockThrows = false;

    timer.advance(MINUTE);
    assertThat(readsOf(MINUTE)).isEqualTo(usual);
  }
}
