package dev.hapax.console.login;

/**
 * The login form.
 *
 * @param next the page that the operator wanted
 * @param refused whether the server refused the credentials
 */
public record LoginView(String next, boolean refused) {}
