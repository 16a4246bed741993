package dev.hapax.bootstrap.cli.call;

import com.google.protobuf.Message;
import java.io.IOException;

/** Fills a part of a request from options. */
@FunctionalInterface
public interface RequestFilling {
  RequestFilling NOTHING = _ -> {};

  void fill(Message.Builder request) throws IOException;
}
