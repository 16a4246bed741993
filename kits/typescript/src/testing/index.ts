/** Tests of workflows: on a test server whose clock they advance, without a server, and over the records of exported runs. */

export { type FitsOptions, fits } from "./fits.js";
export { type InboxSignal, type Ran, type RunWorkflowOptions, type Tested, runWorkflow } from "./memory.js";
export { type AdvanceOptions, Instance, TestServer, startTestServer } from "./server.js";
