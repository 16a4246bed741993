import "reflect-metadata";
import { Injectable, Module, type OnApplicationShutdown } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { Client, type Loop, type Task, connect } from "hapax";
import { DefinitionService } from "hapax/v1/definition_service";

@Injectable()
class Greeter implements OnApplicationShutdown {
  private readonly worker: Loop;

  // Nest reads the class of the client from the metadata that the compiler writes
  constructor(private readonly client: Client) {
    this.worker = client.worker("hello", { greet: (task) => this.greet(task) });
  }

  async greet(task: Task): Promise<string> {
    return `hello ${await task.record("choose", () => "world")}`;
  }

  async run(): Promise<string> {
    await this.client.call(DefinitionService.method.registerDefinition, {
      name: "hello",
      version: "1",
      steps: [{ name: "greet", kind: { case: "code", value: { queue: "hello" } } }],
    });
    this.worker.start();
    const { run } = await this.client.runs.start("hello", { idempotencyKey: process.env.KEY });
    return this.client.runs.result<string>(run.id);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker.stop();
    this.client.close();
  }
}

@Module({ providers: [Greeter, { provide: Client, useFactory: () => connect() }] })
class App {}

async function main(): Promise<void> {
  const app = await NestFactory.createApplicationContext(App, { logger: ["error", "warn"] });
  console.log(await app.get(Greeter).run());
  await app.close();
}

void main();
