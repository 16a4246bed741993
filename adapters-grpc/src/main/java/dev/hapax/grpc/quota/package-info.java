/** The limits of one caller on a server: connections, calls, failed attempts, unread responses. */
@NullMarked
package dev.hapax.grpc.quota;

import org.jspecify.annotations.NullMarked;
