// A compiler that does not read `exports` finds the entries by `typesVersions`.
import { connect } from "hapax";
import { FinalFailure } from "hapax/errors";
import { idempotency } from "hapax/express";
import { guard } from "hapax/agents";
import { complete } from "hapax/sql";
import { startTestServer } from "hapax/testing";
import { DefinitionService } from "hapax/v1/definition_service";

export const entries = [connect, FinalFailure, idempotency, complete, guard, startTestServer, DefinitionService];
