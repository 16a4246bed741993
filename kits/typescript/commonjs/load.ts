/** Takes the place of src/load.ts in CommonJS, which has no `import.meta`. */

export const load: (name: string) => unknown = require;
