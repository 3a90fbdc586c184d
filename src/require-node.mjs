// Ends the process on a Node that can't run onramp. It is JavaScript, because older versions can't read TypeScript, and
// 24.0 to 24.2 start nothing: import.meta.main is missing there, or (24.2) false in every TypeScript file. Then it
// turns on Node's compile cache, which halves the start-up time; a read-only folder turns it off. It isn't in the
// folder for temporary files, where others could plant code.
import module from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 3)) {
  process.stderr.write(
    `onramp needs Node 24.3 or newer; this is Node ${process.versions.node}. Install a newer one: https://nodejs.org\n`,
  )
  process.exit(1)
}

module.enableCompileCache(`${import.meta.dirname}/../node_modules/.cache/compiled`)
