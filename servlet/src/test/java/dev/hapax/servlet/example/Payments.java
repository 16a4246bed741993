package dev.hapax.servlet.example;

import dev.hapax.client.HapaxChannel;
import dev.hapax.client.HapaxClient;
import dev.hapax.servlet.IdempotencyFilter;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.http.HttpServletRequest;

/** Puts the filter before the servlets of {@code /payments}. */
@WebListener
public final class Payments implements ServletContextListener {
  @Override
  public void contextInitialized(ServletContextEvent event) {
    var hapax = HapaxClient.on(HapaxChannel.fromEnvironment().open());
    var filter =
        event
            .getServletContext()
            .addFilter(
                "idempotency",
                IdempotencyFilter.builder(hapax)
                    .account(HttpServletRequest::getRemoteUser)
                    .build());
    filter.setAsyncSupported(true);
    filter.addMappingForUrlPatterns(IdempotencyFilter.dispatches(), true, "/payments/*");
  }
}
