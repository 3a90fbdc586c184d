// Ends the process on a Node that cannot run onramp. Plain JavaScript that any Node reads, because an older one does not
// read TypeScript at all, and Node 24.0 to 24.2 read it but start nothing: import.meta.main is missing there, or (24.2)
// false in every TypeScript file. Then it turns on Node's compile cache, which halves a start; where the folder can't be
// written, nothing is kept. Not in the folder for temporary files, where others could plant code.
import module from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 3)) {
  process.stderr.write(
    `onramp needs Node 24.3 or newer; this is Node ${process.versions.node}. Install a newer one: https://nodejs.org\n`,
  )
  process.exit(1)
}

module.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/compiled`)
