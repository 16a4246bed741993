package dev.hapax.bootstrap.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.grpc.Status.Code;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FuzzIT {
  /** Of its own: a poll whose workspace was changed would take a task of another test. */
  private static final Deployment DEPLOYMENT = Deployment.start();

  /** Of each kind for each rpc; the nightly run sends more. */
  private static final int REQUESTS = Integer.getInteger("hapax.fuzz", 200);

  private static final Set<Code> ALLOWED =
      Set.of(
          Code.OK,
          Code.INVALID_ARGUMENT,
          Code.NOT_FOUND,
          Code.FAILED_PRECONDITION,
          Code.ABORTED,
          Code.ALREADY_EXISTS,
          // of a wait that came to be longer than this caller's patience
          Code.DEADLINE_EXCEEDED);

  private final long seed = Long.getLong("hapax.test.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Caller caller = DEPLOYMENT.caller();

  @AfterAll
  static void stop() {
    DEPLOYMENT.close();
  }

  @AfterEach
  void logIsClean() {
    caller.close();
    assertThat(DEPLOYMENT.complaints()).as("seed %d", seed).isEmpty();
  }

  @ParameterizedTest(name = "{0} takes random bytes for an error of the caller [X4]")
  @EnumSource
  void randomBytes(Rpc rpc) {
    var codes = send(bytes -> rpc.send(caller, bytes), this::noise);
    assertThat(codes).containsKey(Code.INVALID_ARGUMENT);
  }

  private byte[] noise() {
    var bytes = new byte[random.nextInt(200)];
    random.nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest(name = "{0} takes requests with a few bytes changed [X4]")
  @EnumSource
  void mutations(Rpc rpc) {
    // a request whose workspace was changed may have reached another test's
    var key = "key-" + random.nextLong();
    var claim = caller.acquire(key);
    var codes =
        send(bytes -> rpc.send(caller, bytes), () -> mutated(rpc.example(caller, key, claim)));
    assertThat(codes).containsKey(Code.INVALID_ARGUMENT).containsKey(Code.OK);
  }

  @ParameterizedTest(name = "{0} takes random bytes and requests with a few bytes changed [X4]")
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WATCH") // which is a stream
  void runs(RunRpc rpc) {
    var worker = new RunCaller(caller);
    worker.define(RunRpc.DEFINITION, RunCaller.task("charge"));
    var run = worker.started(RunRpc.DEFINITION);
    var claim = worker.poll("worker").getClaim();

    assertThat(send(bytes -> rpc.raw().send(caller, bytes), this::noise))
        .containsKey(Code.INVALID_ARGUMENT);
    var codes =
        send(
            bytes -> rpc.raw().send(caller, bytes), () -> mutated(rpc.example(worker, run, claim)));

    assertThat(codes).containsKey(Code.INVALID_ARGUMENT);
    // and it is as it was for others
    assertThat(worker.started(RunRpc.DEFINITION)).isNotEqualTo(run);
  }

  private byte[] mutated(Message.Builder message) {
    var bytes = message.build().toByteArray();
    for (var changes = random.nextInt(4); changes > 0; changes--) {
      var at = random.nextInt(bytes.length);
      bytes =
          switch (random.nextInt(4)) {
            case 0 -> cut(bytes, at);
            case 1 -> doubled(bytes, at);
            case 2 -> changed(bytes, at, (byte) random.nextInt());
            default -> changed(bytes, at, (byte) (bytes[at] ^ 1 << random.nextInt(8)));
          };
    }
    return bytes;
  }

  private static byte[] cut(byte[] bytes, int at) {
    return java.util.Arrays.copyOf(bytes, Math.max(1, at));
  }

  private static byte[] doubled(byte[] bytes, int at) {
    var longer = java.util.Arrays.copyOf(bytes, bytes.length * 2 - at);
    System.arraycopy(bytes, at, longer, bytes.length, bytes.length - at);
    return longer;
  }

  private static byte[] changed(byte[] bytes, int at, byte value) {
    bytes[at] = value;
    return bytes;
  }

  private interface Requests {
    byte[] next();
  }

  private interface Wire {
    Future<? extends Message> send(byte[] request);
  }

  private Map<Code, Integer> send(Wire wire, Requests requests) {
    var calls = new ArrayList<Future<? extends Message>>();
    for (var i = 0; i < REQUESTS; i++) {
      calls.add(wire.send(requests.next()));
    }
    var codes = new EnumMap<Code, Integer>(Code.class);
    calls.forEach(call -> codes.merge(codeOf(call), 1, Integer::sum));
    return codes;
  }

  private Code codeOf(Future<? extends Message> call) {
    try {
      call.get();
      return Code.OK;
    } catch (ExecutionException e) {
      var refusal = Refusal.of(e);
      assertThat(ALLOWED).as("seed %d: %s", seed, refusal).contains(refusal.code());
      if (refusal.code() != Code.DEADLINE_EXCEEDED) {
        assertThat(refusal.reason().getNumber()).isPositive();
      }
      return refusal.code();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  @Test
  @DisplayName("given junk on the port, then other clients are not affected [X4]")
  void junk() throws IOException {
    var noise = new byte[100_000];
    random.nextBytes(noise);
    var junk = new ArrayList<byte[]>();
    junk.add(new byte[0]);
    junk.add(noise);
    junk.add("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    junk.add("\u0016\u0003\u0001\u0002\u0000\u0001".getBytes(StandardCharsets.ISO_8859_1));
    junk.add(PREFACE.getBytes(StandardCharsets.US_ASCII));
    for (var i = 0; i < 50; i++) {
      junk.add(framed());
    }

    for (var bytes : junk) {
      shout(bytes);
      assertThat(caller.send(caller.begin("")).hasUntracked()).isTrue();
    }
    assertThat(DEPLOYMENT.server().isAlive()).isTrue();
  }

  /** Looks like HTTP/2 for a while. */
  private byte[] framed() throws IOException {
    var out = new java.io.ByteArrayOutputStream();
    out.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    for (var frames = random.nextInt(20); frames >= 0; frames--) {
      var body = new byte[random.nextInt(100)];
      random.nextBytes(body);
      out.write(new byte[] {0, 0, (byte) body.length, (byte) random.nextInt(12)});
      out.write(random.nextInt(256));
      out.write(new byte[] {0, 0, 0, (byte) random.nextInt(4)});
      out.write(body);
    }
    return out.toByteArray();
  }

  private void shout(byte[] bytes) {
    var target = DEPLOYMENT.target();
    var port = Integer.parseInt(target.substring(target.lastIndexOf(':') + 1));
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(bytes);
      socket.shutdownOutput();
      // what it says to that is its own affair
      List.of(socket.getInputStream().readAllBytes());
    } catch (IOException _) {
      // as is hanging up
    }
  }
}
