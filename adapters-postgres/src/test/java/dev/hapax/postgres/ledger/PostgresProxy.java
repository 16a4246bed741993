package dev.hapax.postgres.ledger;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Stands between a client and PostgreSQL and knows enough of the protocol to stop between any two
 * statements: a request is all that is sent up to a Sync.
 */
final class PostgresProxy implements AutoCloseable {
  private final URI server;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Integer> dropped = ConcurrentHashMap.newKeySet();
  private volatile Function<Request, Treatment> rule = _ -> new Treatment.Pass();

  /** Statements sent together, on the connection of one backend. */
  record Request(int backend, List<String> statements) {
    boolean commits() {
      return statements.size() > 1 && statements.getLast().equals("COMMIT");
    }
  }

  /** What becomes of a request. */
  sealed interface Treatment {
    /** It goes on, and its answer comes back. */
    record Pass() implements Treatment {}

    /** So many of its statements go on, then the connection ends; no answer comes back. */
    record Cut(int statements) implements Treatment {}

    /**
     * The client loses its connection. The server gets so many of the statements at once, and the
     * others when {@link Held} ends; until then it does not notice that the client is gone.
     */
    record Hold(int statements, Held held) implements Treatment {}

    /** Nothing goes on, and nothing ends. */
    record Silence() implements Treatment {}
  }

  /** What is held back. */
  static final class Held {
    private final CompletableFuture<Boolean> reached = new CompletableFuture<>();
    private final CompletableFuture<Boolean> goOn = new CompletableFuture<>();
    private final CompletableFuture<String> answer = new CompletableFuture<>();

    boolean isReached() {
      return reached.isDone();
    }

    void awaitReached() {
      TestLedgers.await(reached);
    }

    /** Sends the rest; returns what the server answered when its session was over. */
    String goOn() {
      goOn.complete(true);
      return TestLedgers.await(answer);
    }

    /** Ends the connection to the server. */
    void cut() {
      goOn.complete(false);
      TestLedgers.await(answer);
    }
  }

  PostgresProxy(String url) {
    server = URI.create(url.substring("jdbc:".length()));
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    Thread.ofVirtual().start(this::accept);
  }

  /** From now on, every request is treated so. */
  void treat(Function<Request, Treatment> requests) {
    rule = requests;
  }

  /** From now on nothing goes through on the connection of this backend, and nothing ends it. */
  void drop(int backend) {
    dropped.add(backend);
  }

  DataSource dataSource() {
    var source = new PGSimpleDataSource();
    source.setURL(
        String.format(
            Locale.ROOT,
            "jdbc:postgresql://127.0.0.1:%d%s?%s&sslmode=disable&gssEncMode=disable",
            listener.getLocalPort(),
            server.getPath(),
            server.getQuery()));
    return source;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        var client = listener.accept();
        var toServer = new Socket(server.getHost(), server.getPort() < 0 ? 5432 : server.getPort());
        client.setTcpNoDelay(true);
        toServer.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(toServer);
        var connection = new Connection(client, toServer);
        Thread.ofVirtual().start(connection::forward);
        Thread.ofVirtual().start(connection::back);
      } catch (IOException _) {
        // closed, or a connection less
      }
    }
  }

  @Override
  public void close() {
    close(listener);
    sockets.forEach(PostgresProxy::close);
  }

  private static void close(AutoCloseable socket) {
    try {
      socket.close();
    } catch (Exception _) {
      // it is closed
    }
  }

  /** A message with its type in front; the first one of a connection has none. */
  private static final class Message {
    private final char type;
    private final byte[] body;

    Message(char type, byte[] body) {
      this.type = type;
      this.body = body;
    }

    static Message read(DataInputStream in) throws IOException {
      var type = (char) in.readUnsignedByte();
      return new Message(type, body(in));
    }

    static byte[] body(DataInputStream in) throws IOException {
      return in.readNBytes(in.readInt() - Integer.BYTES);
    }

    void write(DataOutputStream out) throws IOException {
      if (type != 0) {
        out.writeByte(type);
      }
      out.writeInt(body.length + Integer.BYTES);
      out.write(body);
    }

    List<String> texts() {
      return List.of(new String(body, StandardCharsets.UTF_8).split("\0", 3));
    }
  }

  private final class Connection {
    private final Socket client;
    private final Socket server;
    private final CompletableFuture<Integer> backend = new CompletableFuture<>();
    private final Map<String, String> prepared = new HashMap<>();
    private final ByteArrayOutputStream unheard = new ByteArrayOutputStream();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private volatile boolean mute;

    Connection(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void forward() {
      try {
        var in = new DataInputStream(client.getInputStream());
        var out = new DataOutputStream(server.getOutputStream());
        new Message((char) 0, Message.body(in)).write(out);
        var request = new ArrayList<Message>();
        while (true) {
          var message = Message.read(in);
          request.add(message);
          if ("PBDECH".indexOf(message.type) < 0) {
            treat(request, out);
            request.clear();
          }
        }
      } catch (IOException _) {
        if (!mute) {
          close(server);
        }
      }
    }

    private boolean isDropped() {
      return backend.isDone() && dropped.contains(backend.join());
    }

    private void treat(List<Message> request, DataOutputStream out) throws IOException {
      if (isDropped()) {
        return;
      }
      var treatment =
          request.getLast().type == 'S'
              ? rule.apply(new Request(backend.join(), statements(request)))
              : new Treatment.Pass();
      switch (treatment) {
        case Treatment.Pass _ -> send(request, out);
        case Treatment.Cut(var statements) -> {
          mute = true;
          send(request.subList(0, behind(request, statements)), out);
          server.shutdownOutput();
          ended.join();
          close(client);
        }
        case Treatment.Hold(var statements, var held) -> {
          mute = true;
          var sent = behind(request, statements);
          send(request.subList(0, sent), out);
          held.reached.complete(true);
          close(client);
          if (held.goOn.join()) {
            send(request.subList(sent, request.size()), out);
          }
          server.shutdownOutput();
          held.answer.complete(ended.join());
        }
        case Treatment.Silence _ -> {}
      }
    }

    private static void send(List<Message> messages, DataOutputStream out) throws IOException {
      var bytes = new ByteArrayOutputStream();
      var buffer = new DataOutputStream(bytes);
      for (var message : messages) {
        message.write(buffer);
      }
      out.write(bytes.toByteArray());
      out.flush();
    }

    private List<String> statements(List<Message> request) {
      var statements = new ArrayList<String>();
      for (var message : request) {
        if (message.type == 'P') {
          prepared.put(message.texts().getFirst(), message.texts().get(1));
        } else if (message.type == 'B') {
          statements.add(prepared.getOrDefault(message.texts().get(1), "").strip());
        }
      }
      return statements;
    }

    /** The place behind so many statements; all of them are nothing without the Sync. */
    private static int behind(List<Message> request, int statements) {
      var left = statements;
      for (var i = 0; i < request.size(); i++) {
        if (left == 0) {
          return i;
        }
        if (request.get(i).type == 'E') {
          left--;
        }
      }
      return request.size();
    }

    void back() {
      try {
        var in = new DataInputStream(server.getInputStream());
        var out = new DataOutputStream(client.getOutputStream());
        while (true) {
          var message = Message.read(in);
          if (message.type == 'K') {
            backend.complete(ByteBuffer.wrap(message.body).getInt());
          }
          var bytes = new ByteArrayOutputStream();
          message.write(new DataOutputStream(bytes));
          if (mute) {
            unheard.writeBytes(bytes.toByteArray());
          } else if (!isDropped()) {
            out.write(bytes.toByteArray());
          }
        }
      } catch (IOException _) {
        ended.complete(unheard.toString(StandardCharsets.UTF_8));
        close(server);
        if (!mute) {
          close(client);
        }
      }
    }
  }
}
