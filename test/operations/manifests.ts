// Compares deploy/kubernetes with Kubernetes' own types, and with onramp's settings and commands. Its argument is a
// folder with kubernetes-models in node_modules.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { Command } from '@commander-js/extra-typings'
import type { CommandContext } from '@onramp/terminal/command-context'
import { onramp } from '../../src/cli/commands.ts'
import { loadSettings, loadSettingsWithoutClient, settingDefinitions } from '../../src/settings/settings.ts'
import { print } from './walker.ts'

const folder = process.argv[2] ?? ''
const root = new URL('../..', import.meta.url).pathname
const here = join(root, 'deploy/kubernetes')
const read = (file: string) => readFileSync(join(here, file), 'utf8')

type Env = { name: string; value: string }
type Container = {
  args?: string[]
  env: Env[]
  ports?: { name: string }[]
  securityContext: object
  volumeMounts: { mountPath: string }[]
}
type Pod = { securityContext: object; containers: [Container]; terminationGracePeriodSeconds: number }
type Template = { metadata: { labels: object }; spec: Pod }
type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec: Record<string, unknown>
}

const { resources } = parse(read('kustomization.yaml')) as { resources: string[] }
const files = readdirSync(here).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
assert.deepEqual(resources.toSorted(), files.toSorted())
const manifests = resources.flatMap((file) =>
  parseAllDocuments(read(file)).map((one) => one.toJS() as Manifest),
)

/** Compiles and runs a program that creates each manifest with Kubernetes' own types. */
function checkFields(): void {
  const lines = manifests.flatMap((manifest, index) => {
    const { apiVersion, kind, ...fields } = manifest
    const models = apiVersion.startsWith('monitoring.')
      ? '@kubernetes-models/prometheus-operator'
      : 'kubernetes-models'
    return [
      `import { ${kind} as Kind${index} } from '${models}/${apiVersion}/${kind}'`,
      `new Kind${index}(${JSON.stringify(fields, null, 1)}).validate()`,
    ]
  })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'))
  const options = '--noEmit --strict --skipLibCheck --target esnext --module nodenext --ignoreConfig'.split(
    ' ',
  )
  const run = (...args: string[]) =>
    execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
  run(join(root, 'node_modules/typescript/bin/tsc'), ...options, 'manifests.ts')
  run('--disable-warning=ExperimentalWarning', 'manifests.ts')
  print(`${manifests.length} manifests have the fields that Kubernetes knows, with values that it takes`)
}

const specOf = (kind: string) => manifests.find((one) => one.kind === kind)?.spec ?? {}
const server = specOf('Deployment')['template'] as Template
const job = specOf('CronJob')['jobTemplate'] as { spec: { template: Template } }
const reminders = job.spec.template

/** The level "restricted" of Kubernetes' Pod Security Standards, and a read-only root. */
function checkConfinement({ spec }: Template): void {
  const [{ securityContext }] = spec.containers
  assert.partialDeepStrictEqual(spec.securityContext, {
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  })
  assert.deepEqual(securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
}

/** All variables are settings of onramp, and load; each secret is a file in a mounted folder. */
function checkSettings({ spec }: Template, load: typeof loadSettings): number {
  const [{ env, volumeMounts }] = spec.containers
  const lines = read('settings.env')
    .split('\n')
    .filter((line) => /^\w/.test(line))
  const variables = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)))
  const example: Record<string, string> = {
    SESSION_SECRET: 'a'.repeat(32),
    REDIS_URL: 'redis://redis:6379',
    SMTP_URL: 'smtps://user:password@mail.example',
  }
  for (const { name, value } of env) {
    const secret = settingDefinitions.find((one) => one.secret && `${one.name}_FILE` === name)?.name
    assert.ok(secret !== undefined, `${name} is no secret's file`)
    assert.ok(
      volumeMounts.some(({ mountPath }) => value.startsWith(`${mountPath}/`)),
      `${value} is not mounted`,
    )
    variables[secret] = example[secret] ?? 'a-secret'
  }
  const names = new Set<string>(settingDefinitions.map(({ name }) => name))
  for (const name of Object.keys(variables)) assert.ok(names.has(name), `${name} is no setting`)
  const loaded = load(variables)
  assert.ok(spec.terminationGracePeriodSeconds > loaded.DRAIN_SECONDS + 6.5)
  return loaded.METRICS_PORT ?? 0
}

checkFields()
for (const template of [server, reminders]) {
  checkConfinement(template)
  // The job has no secret of the client.
  const metrics = checkSettings(template, template === server ? loadSettings : loadSettingsWithoutClient)
  if (template !== server) continue
  assert.deepEqual(template.spec.containers[0].ports, [
    { name: 'http', containerPort: 3000 },
    { name: 'metrics', containerPort: metrics },
  ])
}
for (const kind of ['Deployment', 'PodDisruptionBudget'])
  assert.deepEqual(specOf(kind)['selector'], { matchLabels: server.metadata.labels })
assert.deepEqual(specOf('Service')['selector'], server.metadata.labels)
// The public route serves pages only.
assert.doesNotMatch(read('ingress.yaml'), /port: \{ name: metrics/)
const args = reminders.spec.containers[0].args ?? []
const program = new Command()
onramp(program, {} as CommandContext, async () => {})
const keep = program.commands.find((command) => command.name() === args.at(-2))?.action(() => {})
program.parse(args.slice(-2), { from: 'user' })
assert.deepEqual(keep?.args, ['/run/secrets/invite/people.csv'])
print('both pods are confined, their settings load, and selectors, ports and the command fit')
