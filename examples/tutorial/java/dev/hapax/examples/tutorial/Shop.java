package dev.hapax.examples.tutorial;

import dev.hapax.client.PayloadCodec;
import dev.hapax.client.Fingerprint;
import dev.hapax.client.HapaxChannel;
import dev.hapax.client.HapaxClient;
import dev.hapax.client.claim.ActionOutcome;
import dev.hapax.client.claim.ActionRequest;
import dev.hapax.client.claim.ActionResult;
import dev.hapax.client.claim.EntityKey;
import dev.hapax.client.claim.RecoveryVerdict;
import dev.hapax.client.hook.HookRequest;
import dev.hapax.client.operation.OperationRequest;
import dev.hapax.client.run.RunRequest;
import dev.hapax.client.worker.Completion;
import io.grpc.Channel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/** A shop: {@code Shop charge|worker|order|send|janitor ARGUMENT...}. */
public final class Shop {
  private final HapaxClient hapax;

  private Shop(HapaxClient hapax) {
    this.hapax = hapax;
  }

  /** 1. An operation: charges the card once for each request id, and replays the receipt. */
  private String charge(String requestId, String amount) {
    return hapax.operations()
        .execute(
            OperationRequest.of("shop.v1.Shop/Charge", requestId)
                .withFingerprint(Fingerprint.of(amount.getBytes(StandardCharsets.UTF_8))),
            PayloadCodec.json(),
            operation -> {
              System.out.println("the card is charged " + amount + " EUR");
              return "{\"charged\":" + amount + "}";
            })
        .orThrow();
  }

  /** 2. A run: a worker does the steps of orders. A step's id is the same on every attempt. */
  private String worker() throws InterruptedException {
    var worker =
        hapax.newWorker()
            .handle(
                "shop",
                "shop-order",
                "charge",
                task ->
                    Completion.of(PayloadCodec.json(), charge(task.stepId(), task.input(PayloadCodec.json()))))
            .handle(
                "shop",
                "shop-order",
                "ship",
                task -> Completion.of(PayloadCodec.json(), "{\"shipped\":true}"))
            .start();
    System.out.println("works on the queue shop");
    worker.awaitStopped();
    return "stopped";
  }

  /** 3. A hook: one run owns the order's token; every trigger gets the result of that run. */
  private String order(String id, String amount, String trigger) {
    var runs = hapax.runs();
    var run =
        runs.start(
                RunRequest.of("shop-order")
                    .withKey(trigger)
                    .withInput(PayloadCodec.json(), amount)
                    .withHook(
                        HookRequest.of("order/" + id)
                            .withRetention(Duration.ofHours(1))
                            .usingExisting()))
            .getRun();
    return run.getId() + " " + runs.result(run.getId(), PayloadCodec.json(), Duration.ofMinutes(5));
  }

  /** 4. A claim: one caller at a time sends an invoice. */
  private String send(String id) throws IOException {
    var invoice = EntityKey.of("shop-invoice", id);
    hapax.entities().create(invoice, "draft");
    var request = ActionRequest.of(invoice, "send", "billing").withLease(Duration.ofSeconds(10));
    ActionOutcome<String> outcome =
        hapax.claims()
            .run(
                request,
                action -> {
                  if (!post(id, action.fence(), "invoice")) {
                    return ActionResult.failure("the janitor has ended this attempt");
                  }
                  if (System.getenv("CRASH") != null) {
                    // as if the machine failed after the mail, and before the completion
                    Runtime.getRuntime().halt(1);
                  }
                  return ActionResult.success(id);
                });
    return switch (outcome) {
      case ActionOutcome.Ran<String> ran -> ran.entity().getStatus();
      case ActionOutcome.ClaimFailed<String> other -> other.message();
      case ActionOutcome.WrongStatus<String> moved -> moved.status();
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
        hapax.newRemoteJanitor("shop")
            .start(
                recovery -> {
                  var id = recovery.getEntity().getId();
                  var verdict =
                      post(id, recovery.getLost().getFence(), "void")
                          ? RecoveryVerdict.REVERT
                          : RecoveryVerdict.COMPLETE;
                  System.out.println(id + " " + verdict);
                  return verdict;
                });
    System.out.println("recovers invoices");
    janitor.awaitStopped();
    return "stopped";
  }

  public static void main(String[] words) throws Exception {
    var channel = HapaxChannel.fromEnvironment().open();
    var shop = new Shop(HapaxClient.on(channel));
    System.out.println(
        switch (words[0]) {
          case "charge" -> shop.charge(words[1], words[2]);
          case "worker" -> shop.worker();
          case "order" -> shop.order(words[1], words[2], words[3]);
          case "send" -> shop.send(words[1]);
          case "janitor" -> shop.janitor();
          default -> throw new IllegalArgumentException("no such command: " + words[0]);
        });
    channel.shutdownNow();
  }
}
