package dev.hapax.examples.tutorial;

import static dev.hapax.client.Verdict.COMPLETE;
import static dev.hapax.client.Verdict.REVERT;

import dev.hapax.client.ActOutcome;
import dev.hapax.client.Action;
import dev.hapax.client.Codec;
import dev.hapax.client.FinalFailure;
import dev.hapax.client.Hapax;
import dev.hapax.client.HookRequest;
import dev.hapax.client.Operation;
import dev.hapax.client.Value;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** A shop: {@code Shop charge|worker|order|send|janitor ARGUMENT...}. */
public final class Shop {
  private final Hapax hapax;

  private Shop(Hapax hapax) {
    this.hapax = hapax;
  }

  /** 1. An operation: charges the card once for each request id, and replays the receipt. */
  private String charge(String requestId, String amount) {
    return hapax.once(
        Operation.of("shop.v1.Shop/Charge", requestId).input(new Value.Json(amount)),
        Codec.jsonText(),
        claim -> {
          System.out.println("the card is charged " + amount + " EUR");
          return "{\"charged\":" + amount + "}";
        });
  }

  /** 2. A run: a worker does the steps of orders. A step's id is the same on every attempt. */
  private String worker() throws InterruptedException {
    var worker =
        hapax.worker()
            .step(
                "shop",
                "shop-order",
                "charge",
                task -> new Value.Json(charge(task.stepId(), task.input(Codec.jsonText()))))
            .step("shop", "shop-order", "ship", task -> new Value.Json("{\"shipped\":true}"))
            .start();
    System.out.println("works on the queue shop");
    worker.awaitStopped();
    return "stopped";
  }

  /** 3. A hook: one run owns the order's token; every trigger gets the result of that run. */
  private String order(String id, String amount, String trigger) {
    var runs = hapax.runs();
    var token = HookRequest.of("order/" + id).retention(Duration.ofHours(1)).useExisting();
    var run =
        runs.start(
                "shop-order",
                start -> start.key(trigger).input(new Value.Json(amount)).hook(token))
            .run();
    return run.id() + " " + runs.result(run.id(), Codec.jsonText(), Duration.ofMinutes(5));
  }

  /** 4. A claim: one caller at a time sends an invoice. */
  private String send(String id) throws IOException {
    hapax.entities().create("shop-invoice", id, "draft");
    var action = Action.of("shop-invoice", id, "send", "billing").lease(Duration.ofSeconds(10));
    var outcome =
        hapax.entities()
            .tryAct(
                action,
                Codec.text(),
                claim -> {
                  if (!post(id, claim.fence(), "invoice")) {
                    throw new FinalFailure("TOO_LATE", "the janitor has ended this attempt");
                  }
                  if (System.getenv("CRASH") != null) {
                    // as if the machine failed after the mail, and before the completion
                    Runtime.getRuntime().halt(1);
                  }
                  return id;
                });
    return switch (outcome) {
      case ActOutcome.Done<String> done -> done.entity().status();
      case ActOutcome.ClaimFailed<String> other -> other.message();
      case ActOutcome.WrongStatus<String> moved -> moved.status();
      default -> outcome.toString();
    };
  }

  /** Stands for a mail server that accepts one message for each invoice and fence. */
  private static boolean post(String id, long fence, String content) throws IOException {
    var outbox = Files.createDirectories(Path.of(System.getenv().getOrDefault("OUTBOX", "outbox")));
    try {
      Files.writeString(outbox.resolve(id + "-" + fence), content, StandardOpenOption.CREATE_NEW);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  /**
   * Takes the place of the message of a lost holder: if it can, the invoice was not sent, and never
   * will be with that fence.
   */
  private String janitor() throws InterruptedException {
    var janitor =
        hapax.janitor("shop")
            .start(
                recovery -> {
                  var id = recovery.entity().id();
                  var verdict = post(id, recovery.lostFence(), "void") ? REVERT : COMPLETE;
                  System.out.println(id + " " + verdict);
                  return verdict;
                });
    System.out.println("recovers invoices");
    janitor.awaitStopped();
    return "stopped";
  }

  public static void main(String[] words) throws Exception {
    try (var hapax = Hapax.connect()) {
      var shop = new Shop(hapax);
      System.out.println(
          switch (words[0]) {
            case "charge" -> shop.charge(words[1], words[2]);
            case "worker" -> shop.worker();
            case "order" -> shop.order(words[1], words[2], words[3]);
            case "send" -> shop.send(words[1]);
            case "janitor" -> shop.janitor();
            default -> throw new IllegalArgumentException("no such command: " + words[0]);
          });
    }
  }
}
