/** Definitions: the named lists of steps that runs execute. */

import type { Connection } from "./connection.js";
import type { Definition as DefinitionMessage } from "./gen/hapax/v1/definition_pb.js";
import { DefinitionService } from "./gen/hapax/v1/definition_service_pb.js";
import { toJson } from "./values.js";

const { registerDefinition, getDefinition } = DefinitionService.method;

/** A definition as in a definition file, such as `{name: "order", version: "1", steps: [{name: "rest", timer: {duration: "14d"}}]}`. */
export interface Definition {
  readonly name: string;
  readonly version: string;
  /** Each has a `name`, and one of `task`, `timer`, `signal` and `code`. */
  readonly steps: readonly { readonly name: string; readonly [kind: string]: unknown }[];
  /** Other fields, such as `reason`. */
  readonly [field: string]: unknown;
}

/** Registers and reads definitions. */
export class Definitions {
  /** @internal */
  constructor(private readonly connection: Connection) {}

  /**
   * Registers a version of a definition; returns false if it was registered before, with the same steps.
   *
   * It may be the text of a definition file, of at most 1 MiB. Throws Refused if fields break a rule, and names all of them; or
   * (DEFINITION_EXISTS) if this version has other steps.
   */
  async register(definition: Definition | string): Promise<boolean> {
    const json = typeof definition === "string" ? definition : toJson("definition", definition);
    return !(await this.connection.call(registerDefinition, { json })).response.already;
  }

  /** Returns a version of a definition, the one registered last unless it is given, or throws Refused (DEFINITION_NOT_FOUND). */
  async get(name: string, version = ""): Promise<DefinitionMessage> {
    const { definition } = (await this.connection.call(getDefinition, { name, version })).response;
    return definition!;
  }
}
