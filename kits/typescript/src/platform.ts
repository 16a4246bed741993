/** Refuses a Node.js that is too old, before its first error that does not say so. */

const OLDEST_NODE = 20;

if (Number.parseInt(process.versions.node) < OLDEST_NODE) {
  throw new Error(`hapax needs Node.js ${OLDEST_NODE} or later; this is Node.js ${process.versions.node}`);
}
