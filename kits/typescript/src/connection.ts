/** The connection to Hapax: TLS, the API key or JWT, and calls that are sent until they are answered. */

import { readFileSync, statSync } from "node:fs";
import type { DescMessage, DescMethodUnary, Message, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { create, toBinary } from "@bufbuild/protobuf";
import { CallError, HapaxError, NotSerializable, UnknownAnswer } from "./errors.js";
import { type PayloadStore, Payloads } from "./payloads.js";
import { Servers, addressesOf } from "./servers.js";
import { duration, fieldsOf } from "./values.js";

export const TRY_TIMEOUT = 5_000; // milliseconds for the answer of one try, besides the wait of its request
const RECORD_TIMEOUT = 60_000; // milliseconds to record work that is done
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** A method of the API with one request and one response. */
export type Method<I extends DescMessage, O extends DescMessage> = DescMethodUnary<I, O>;

/** A request; the kit sets its workspace. */
export type Request<I extends DescMessage> = Omit<MessageInitShape<I>, "workspace" | "$typeName" | "$unknown">;

/** A response, the performance.now() at which its request was sent, and the milliseconds until it came. */
export interface Answer<T> {
  readonly response: T;
  readonly sentAt: number;
  readonly roundTrip: number;
}

/** Where this package writes what its operator should know: `console`, or an object like it. */
export type Logger = Pick<Console, "info" | "warn" | "error">;

/** How a call is repeated. */
export interface CallOptions {
  /** How long the server may hold the request on purpose, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Stops waiting for the answer. The call may take effect. */
  readonly abort?: AbortSignal | undefined;
}

interface Persistence extends CallOptions {
  readonly giveUpAfter?: number | undefined;
  readonly ofHolder?: boolean | undefined;
}

/** The connections to the servers, which are opened at the first call. */
export class Connection {
  constructor(
    private readonly servers: Servers,
    private readonly target: string,
    private readonly workspace: string,
    private readonly bearer: Bearer,
    private readonly callTimeout: number,
    readonly logger: Logger,
    readonly payloads: Payloads,
  ) {}

  /** Sends a request once. `timeout` is in milliseconds. Throws NotSerializable, or another HapaxError with a CallError as its cause. */
  async tryOnce<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: Request<I>,
    timeout: number,
    abort?: AbortSignal,
  ): Promise<Answer<MessageShape<O>>> {
    const input = { ...request, workspace: this.workspace } as unknown as MessageInitShape<I>;
    checkEncoding(method.input, input);
    const sentAt = performance.now();
    let message: MessageShape<O>;
    try {
      const transport = await this.servers.next();
      // the header of a deadline has no fractions
      ({ message } = await transport.unary(method, abort, Math.ceil(timeout), this.bearer.headers(), input));
    } catch (error) {
      throw CallError.of(error).at(this.target).exception();
    }
    checkOutcome(method.name, message);
    return { response: message, sentAt, roundTrip: performance.now() - sentAt };
  }

  /** Sends a request until it is answered, the error would repeat, or the time is over; logs if that is never. */
  async call<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: Request<I>,
    { waitMs, abort, giveUpAfter = this.callTimeout, ofHolder = false }: Persistence = {},
  ): Promise<Answer<MessageShape<O>>> {
    const giveUpAt = performance.now() + (waitMs ?? 0) + giveUpAfter;
    const name = `hapax: ${method.name} to ${this.target}`;
    let isLogged = false;
    for (let retry = 0; ; retry++) {
      // after an outage the first answer comes at once
      const wait = waitMs === undefined ? {} : { wait: duration(isLogged ? 0 : waitMs) };
      try {
        const answer = await this.tryOnce(method, { ...request, ...wait }, TRY_TIMEOUT + (waitMs ?? 0), abort);
        if (isLogged) this.logger.info(`${name} succeeds again`);
        return answer;
      } catch (error) {
        const call = error instanceof HapaxError ? error.cause : undefined;
        const pause = call instanceof CallError ? call.pauseMs(retry, ofHolder) : undefined;
        if (pause === undefined || performance.now() + pause > giveUpAt || abort?.aborted) throw error;
        if (giveUpAfter === Infinity && !isLogged) {
          const advice = "check that a server runs there, and the address and TLS of this client";
          this.logger.error(`${name} failed, will retry until it succeeds; ${advice}: ${(error as Error).message}`);
          isLogged = true;
        }
        if (!(await paused(pause, abort))) throw error;
      }
    }
  }

  /** Sends the end of work, which is done: longer, and also while Hapax does not accept the key. */
  record<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: Request<I>,
  ): Promise<Answer<MessageShape<O>>> {
    return this.call(method, request, { giveUpAfter: RECORD_TIMEOUT, ofHolder: true });
  }

  close(): void {
    this.servers.close();
  }
}

/** Throws UnknownAnswer if the outcome is newer than this package. */
function checkOutcome(method: string, { $unknown, outcome }: Message & { outcome?: { case?: string | undefined } }): void {
  if (outcome === undefined || outcome.case !== undefined) return;
  const text = `Hapax answered ${method} with an outcome that this package does not know (${fieldsOf($unknown)}); upgrade it`;
  throw Object.assign(new UnknownAnswer(text, { cause: new CallError("UNIMPLEMENTED", text) }), { code: "UNIMPLEMENTED" });
}

/** Throws NotSerializable for what would fail in each try. */
function checkEncoding<I extends DescMessage>(schema: I, input: MessageInitShape<I>): void {
  try {
    toBinary(schema, create(schema, input));
  } catch (error) {
    const { message } = error as Error;
    throw new NotSerializable(/\bfield (\S+)/.exec(message)?.[1] ?? schema.typeName, message, { cause: error });
  }
}

/** Waits so many milliseconds. Returns false as soon as the signal is aborted. */
export function paused(ms: number, abort?: AbortSignal): Promise<boolean> {
  if (abort?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isOver: boolean): void => {
      clearTimeout(timer);
      abort?.removeEventListener("abort", stop);
      resolve(isOver);
    };
    const stop = (): void => end(false);
    const timer = setTimeout(() => end(true), ms);
    abort?.addEventListener("abort", stop);
  });
}

/** The API key or JWT of each call; that of a file is read again when the file changes. */
class Bearer {
  private readAt = -1;

  constructor(
    private text: string,
    private readonly file: string,
    private readonly logger: Logger,
  ) {
    this.headers();
  }

  headers(): Record<string, string> {
    if (this.file !== "") {
      try {
        const changed = statSync(this.file).mtimeMs;
        if (changed !== this.readAt) {
          this.text = readFileSync(this.file, "utf8").trim();
          this.readAt = changed;
        }
      } catch (error) {
        if (this.readAt < 0) throw error;
        this.logger.warn(`hapax: the file ${this.file} cannot be read; its former key or token is used`);
      }
    }
    return this.text === "" ? {} : { authorization: `Bearer ${this.text}` };
  }
}

/** Where Hapax is, and as whom to call it. What is not given comes from the variables of the `hapax` command. */
export interface ConnectOptions {
  /**
   * HOST:PORT, or https://HOST:PORT for TLS; else HAPAX_SERVER. Calls use all addresses of the name in turn. Servers without a
   * common name are a list, HOST:PORT,HOST:PORT.
   */
  readonly server?: string | undefined;
  /** The workspace of all calls; the default one if empty. */
  readonly workspace?: string | undefined;
  /** Whether to use TLS; else HAPAX_TLS. */
  readonly tls?: boolean | undefined;
  /** A file with certificate authorities, which means TLS; else HAPAX_TLS_CA, or those of Node.js. */
  readonly ca?: string | undefined;
  /** The key that is sent with each call; else HAPAX_API_KEY. */
  readonly apiKey?: string | undefined;
  /** A file with the key, which is read again when it changes; else HAPAX_API_KEY_FILE. */
  readonly apiKeyFile?: string | undefined;
  /** A file with a JSON Web Token instead of a key, which is read again when it changes; else HAPAX_JWT_FILE. */
  readonly jwtFile?: string | undefined;
  /** How long to repeat a call before work has begun, in milliseconds; 10,000 unless given. Its last try may end later. */
  readonly callTimeoutMs?: number | undefined;
  /** Where inputs, outputs and results above 128 KiB are stored; without one they may have 256 KiB, and Hapax has them. */
  readonly payloads?: PayloadStore | undefined;
  /** Where failed polls, failed steps and lost claims are written; `console` unless given. */
  readonly logger?: Logger | undefined;
}

export function openConnection(options: ConnectOptions): Connection {
  const env = (name: string): string => process.env[name]?.trim() ?? "";
  const server = options.server || env("HAPAX_SERVER") || "127.0.0.1:7420";
  const ca = options.ca ?? env("HAPAX_TLS_CA");
  if (!["", "true", "false"].includes(env("HAPAX_TLS"))) {
    throw new RangeError(`HAPAX_TLS must be true or false (was ${env("HAPAX_TLS")})`);
  }
  const addresses = addressesOf(server);
  const tls = options.tls ?? (addresses.tls || ca !== "" || env("HAPAX_TLS") === "true");
  const target = addresses.targets.join(",");
  const given = [options.apiKey, options.apiKeyFile, options.jwtFile];
  const isGiven = given.some((option) => option !== undefined);
  const variables = ["HAPAX_API_KEY", "HAPAX_API_KEY_FILE", "HAPAX_JWT_FILE"].map(env);
  const [text = "", keyFile = "", jwtFile = ""] = isGiven ? given : variables;
  if ([text, keyFile, jwtFile].filter((value) => value !== "").length > 1) {
    throw new RangeError("only one of the API key, its file and the JWT file can be set; unset the others");
  }
  // an empty file counts: it may be filled later
  if ((text || keyFile || jwtFile) && !tls && !addresses.targets.every((each) => LOOPBACK.test(each))) {
    throw new RangeError(`the API key or JWT is not sent to ${target} without TLS; set tls, or HAPAX_TLS_CA`);
  }
  const { workspace = "", logger = console, callTimeoutMs = 10_000 } = options;
  if (!(callTimeoutMs > 0)) throw new RangeError(`callTimeoutMs must be positive (was ${callTimeoutMs})`);
  const urls = addresses.targets.map((each) => new URL(`${tls ? "https" : "http"}://${each}`));
  const servers = new Servers(urls, tls && ca !== "" ? { ca: readFileSync(ca) } : {});
  const bearer = new Bearer(text.trim(), keyFile || jwtFile, logger);
  return new Connection(servers, target, workspace, bearer, callTimeoutMs, logger, new Payloads(options.payloads));
}
