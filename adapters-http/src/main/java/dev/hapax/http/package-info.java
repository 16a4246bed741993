/** The API over HTTP: the Connect protocol, translated to gRPC calls in this process. */
@NullMarked
package dev.hapax.http;

import org.jspecify.annotations.NullMarked;
