/** Loads a package as the application has installed it. CommonJS has commonjs/load.ts instead. */

import { createRequire } from "node:module";

export const load: (name: string) => unknown = createRequire(import.meta.url);
