import "reflect-metadata";
import { Injectable, Module, type OnApplicationShutdown } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { Client, type Loop, type Task, connect, workflow } from "hapax";

@Injectable()
class Greeter implements OnApplicationShutdown {
  private readonly hello = workflow("hello", { queue: "hello" }, (task) => this.greet(task));
  private readonly worker: Loop;

  // Nest reads the class of the client from the metadata that the compiler writes
  constructor(private readonly client: Client) {
    this.worker = client.worker(this.hello);
  }

  async greet(task: Task): Promise<string> {
    return `hello ${await task.record("choose", () => "world")}`;
  }

  async run(): Promise<string> {
    await this.worker.start();
    return this.client.runs.result(await this.client.runs.start(this.hello, { idempotencyKey: process.env.KEY }));
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
