package shop;

import dev.hapax.client.Definition;
import dev.hapax.client.Hapax;
import dev.hapax.servlet.Idempotent;
import dev.hapax.spring.StepHandler;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** An application without a line of configuration for Hapax. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Shop.Payments.class)
public class Shop {

  private static final String ORDER = "spring-order";

  /** Other applications with this server leave its tasks alone. */
  private static final String QUEUE = "shop-" + UUID.randomUUID();

  public static void main(String[] args) {
    SpringApplication.run(Shop.class, args);
  }

  @Bean
  StepHandler weigh() {
    return new StepHandler(QUEUE, ORDER, "weigh", task -> "2 kg");
  }

  @Bean
  StepHandler pack() {
    return new StepHandler(
        QUEUE,
        ORDER,
        "pack",
        task -> {
          System.out.println("shop: step begins");
          Thread.sleep(Duration.ofSeconds(5).toMillis());
          return "packed in attempt " + task.attempt();
        });
  }

  @Bean
  SpanExporter spans() {
    return new SpanExporter() {
      @Override
      public CompletableResultCode export(Collection<SpanData> ended) {
        ended.forEach(
            span -> System.out.println("shop: span " + span.getTraceId() + " " + span.getName()));
        return CompletableResultCode.ofSuccess();
      }

      @Override
      public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
      }

      @Override
      public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
      }
    };
  }

  @EventListener
  void ready(ApplicationReadyEvent event) {
    var context = event.getApplicationContext();
    var order = Definition.of(ORDER, QUEUE).task("weigh", QUEUE).task("pack", QUEUE);
    context.getBean(Hapax.class).definitions().register(order);
    var port = context.getEnvironment().getProperty("local.server.port");
    System.out.println("shop: ready on " + port);
  }

  @RestController
  static class Payments {
    private final AtomicInteger charged = new AtomicInteger();
    private final Hapax hapax;

    Payments(Hapax hapax) {
      this.hapax = hapax;
    }

    @PostMapping("/payments")
    @Idempotent(required = true)
    ResponseEntity<String> pay(@RequestBody String amount) throws InterruptedException {
      if (amount.equals("slow")) {
        System.out.println("shop: slow payment begins");
        Thread.sleep(Duration.ofSeconds(2).toMillis());
      }
      return ResponseEntity.status(201).body("receipt " + charged.incrementAndGet());
    }

    @PostMapping("/orders")
    String order() {
      return hapax.runs().start(ORDER, options -> options.version(QUEUE)).run().id();
    }
  }
}
