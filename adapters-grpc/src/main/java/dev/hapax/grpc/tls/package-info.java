/** TLS of the server: its certificate, its key and the authorities of its clients. */
@NullMarked
package dev.hapax.grpc.tls;

import org.jspecify.annotations.NullMarked;
