package dev.hapax.servlet.example;

import dev.hapax.client.Hapax;
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
    var hapax = Hapax.connect();
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
