package dev.hapax.grpc.call;

import com.google.protobuf.MessageLite;
import dev.hapax.v1.Error;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * How the messages of one streamed rpc are made.
 *
 * @param begin a message without anything in it
 * @param add puts an answer into a message
 * @param error the answer to the call with this number, which failed
 * @param <R> the messages to the client
 * @param <A> the answers in them
 * @param <B> what a message is gathered in
 */
public record StreamMessages<R, A extends MessageLite, B>(
    Supplier<B> begin,
    BiConsumer<B, A> add,
    BiFunction<Integer, Error, A> error,
    Function<B, R> build) {}
