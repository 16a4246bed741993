package dev.hapax.console.web;

/** An error for people: what happened, and what to do. */
public record ErrorView(String heading, String sentence) {}
