package dev.hapax.client.internal;

import com.google.protobuf.Message;
import java.io.IOException;
import java.net.URL;
import java.util.jar.JarInputStream;
import java.util.jar.Manifest;

/** Refuses a protobuf runtime that is older than the messages of the API, before one is loaded. */
public final class ProtobufRuntime {

  /** The version that proto/pom.xml generates messages for. */
  static final String OLDEST = "3.25.5";

  /** The class that came last of those that the generated code uses. */
  private static final String NEWEST_CLASS = "com.google.protobuf.MapFieldReflectionAccessor";

  private ProtobufRuntime() {}

  /**
   * Checks the class path.
   *
   * @throws IllegalStateException if its protobuf is too old; names both versions
   */
  public static void check() {
    try {
      Class.forName(NEWEST_CLASS, false, Message.class.getClassLoader());
    } catch (ClassNotFoundException older) {
      throw new IllegalStateException(
          "hapax-client needs com.google.protobuf:protobuf-java %s or later (found %s)"
              .formatted(OLDEST, found()),
          older);
    }
  }

  private static String found() {
    URL jar = Message.class.getProtectionDomain().getCodeSource().getLocation();
    try (JarInputStream content = new JarInputStream(jar.openStream())) {
      Manifest manifest = content.getManifest();
      String version =
          manifest == null ? null : manifest.getMainAttributes().getValue("Bundle-Version");
      return version == null ? jar.toString() : version + " in " + jar;
    } catch (IOException nested) {
      // the name of the jar has the version, too
      return jar.toString();
    }
  }
}
