package dev.hapax.console.view;

/** A part of the console with an entry in the navigation. */
public enum Section {
  OVERVIEW("Overview", ""),
  RUNS("Runs", "runs"),
  OPERATIONS("Operations", "operations"),
  HOOKS("Hooks", "hooks"),
  ENTITIES("Entities", "entities"),
  CLAIMS("Claims", "claims"),
  JANITORS("Janitors", "janitors"),
  QUEUES("Queues", "queues"),
  LIMITS("Limits", "limits"),
  DEFINITIONS("Definitions", "definitions"),
  LIFECYCLES("Lifecycles", "lifecycles"),
  WORKSPACES("Workspaces", "workspaces"),
  SERVERS("Servers", "servers");

  private final String title;
  private final String path;

  Section(String title, String path) {
    this.title = title;
    this.path = path;
  }

  public String title() {
    return title;
  }

  /** Its first page in a workspace. */
  public String href(String workspace) {
    return Address.of(workspace, path).href();
  }
}
