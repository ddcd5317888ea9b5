import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { Option } from '@engine/process'
import { OPTIONS as ENGINE_OPTIONS } from '../apps/engine-server/src/config/options.ts'
import { readConfiguration } from '../apps/platform-server/src/config/config.ts'
import { OPTIONS } from '../apps/platform-server/src/config/options.ts'
import { useDatabase } from './platform/databases.testing.ts'
import { startPlatform, type TestPlatform } from './platform/platform.testing.ts'

/** Holds the files of deploy/platform/ and the pages about them to the program. */
const ROOT = join(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const FOLDER = 'deploy/platform'
const filesOf = (pattern: string) => globSync(`${FOLDER}/${pattern}`, { cwd: ROOT }).sort()

// oxlint-disable-next-line typescript/no-explicit-any -- a document of Kubernetes, read like the YAML that it is
type Document = any

/** The values of all keys of this name, however deep. */
function valuesOf(key: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(key, inner),
  ])
}

function documents(file: string): readonly Document[] {
  return parseAllDocuments(read(file)).map((document) => {
    expect(document.errors, file).toEqual([])
    return document.toJS()
  })
}

const MANIFESTS = filesOf('kubernetes/**/*.yaml').filter((file) => !file.endsWith('/kustomization.yaml'))
const objects = MANIFESTS.flatMap(documents)
const object = (kind: string, name: string): Document =>
  objects.find((one) => one.kind === kind && one.metadata.name === name)
const pods = object('Deployment', 'engine-platform')
const [container] = pods.spec.template.spec.containers
const environment: Readonly<Record<string, string>> = {
  ...object('ConfigMap', 'engine-platform').data,
  ...object('Secret', 'engine-platform-database').stringData,
}
const UNIT = read(`${FOLDER}/engine-platform.service`)
const settings = (key: string) =>
  Array.from(UNIT.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value)
const DOCKERFILE = read(`${FOLDER}/Dockerfile`)
const [compose] = documents(`${FOLDER}/compose.yaml`)

describe('options', () => {
  const rows: readonly Option<unknown>[] = Object.values(OPTIONS)
  const variables = new Set(rows.map(({ env }) => env))
  const flags = new Set<string>([
    ...rows.map(({ flag }) => flag),
    ...Object.values<Option<unknown>>(ENGINE_OPTIONS).map(({ flag }) => flag),
    '--help',
    '--version',
  ])
  /** Options of docker, npm, install and the commands of the program. */
  const others = new Set(
    '--directory --owner --group --mode --omit --interval --timeout --start-period --read-only --tmpfs --scale --email \
    --username --no-install --log'.split(/\s+/),
  )
  const files = [...filesOf('**/*.{yaml,conf,service,json}'), `${FOLDER}/Dockerfile`]
  const pages = ['docs/platform/operation.md', 'docs/platform/alerts.md', 'docs/platform/webhooks.md']

  test.each([...files, ...pages])('of %s are those of the programs', (file) => {
    const text = read(file)
    for (const name of text.match(/\bENGINE_PLATFORM_[A-Z_]+\b/g) ?? []) expect(variables, name).toContain(name)
    for (const [, flag = ''] of text.matchAll(/(?<![\w-])(--[a-z][a-z-]*)/g))
      if (!others.has(flag)) expect(flags, flag).toContain(flag)
  })

  test('of the pods are accepted together, and need a secret key', () => {
    const request = readConfiguration([], environment)
    if (request.kind === 'end') expect.fail(request.output)
    expect(request.configuration).toMatchObject({
      http: { host: undefined, port: 3001 },
      publicUrl: 'https://platform.example.com',
      secretKeyFile: '/etc/engine-platform/secret.key',
      databaseUrl: expect.stringMatching(/^postgres:/),
    })
    expect(object('Secret', 'engine-platform-key').stringData).toHaveProperty(['secret.key'])
  })

  test('of unit, image and compose file are accepted together', () => {
    const inUnit = Object.fromEntries(settings('Environment').map((line) => line.split('=')))
    const inImage = { ENGINE_PLATFORM_DATA_DIR: /^ENV ENGINE_PLATFORM_DATA_DIR=(\S+)$/m.exec(DOCKERFILE)?.[1] ?? '' }
    for (const set of [inUnit, inImage])
      expect(readConfiguration([], set as Record<string, string>)).toMatchObject({
        kind: 'run',
        configuration: { dataDir: '/var/lib/engine-platform' },
      })
    const given = { POSTGRES_PASSWORD: 'p', PLATFORM_URL: 'https://platform.example.com' }
    const inCompose = Object.entries<string>(compose.services.platform.environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):\?\}/g, (_whole, variable: keyof typeof given) => given[variable]),
    ])
    expect(readConfiguration([], Object.fromEntries(inCompose))).toMatchObject({ kind: 'run', warnings: [] })
  })
})

test('all YAML and JSON can be read', () => {
  for (const file of filesOf('**/*.yaml')) expect(documents(file).length).toBeGreaterThan(0)
  expect(() => JSON.parse(read(`${FOLDER}/dashboard.json`))).not.toThrow()
})

describe('Kubernetes', () => {
  test('pods are found by their service, their budget and their policy', () => {
    const { labels } = pods.spec.template.metadata
    expect(pods.spec.selector.matchLabels).toEqual(labels)
    expect(object('Service', 'engine-platform').spec.selector).toEqual(labels)
    expect(object('PodDisruptionBudget', 'engine-platform').spec.selector.matchLabels).toEqual(labels)
    expect(object('NetworkPolicy', 'engine-platform').spec.podSelector.matchLabels).toEqual(labels)
    expect(pods.spec.replicas).toBeGreaterThan(1)
  })

  test('pods have the port of the program, and time to end', () => {
    expect(container.ports).toEqual([{ name: 'http', containerPort: 3001 }])
    expect(pods.spec.template.metadata.annotations).toMatchObject({ 'prometheus.io/port': '3001' })
    const [, before] = container.lifecycle.preStop.exec.command
    const shutdown = Number(environment['ENGINE_PLATFORM_SHUTDOWN_TIMEOUT_SECS'])
    expect(pods.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(before) + shutdown)
  })

  test('pods may write nothing but their volumes, which hold what options name', () => {
    const { securityContext, volumes } = pods.spec.template.spec
    expect(securityContext.runAsUser).toBe(Number(/^USER (\d+)$/m.exec(DOCKERFILE)?.[1]))
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })
    const mounts: readonly { name: string; mountPath: string }[] = container.volumeMounts
    expect(new Set(mounts.map(({ name }) => name))).toEqual(new Set(volumes.map(({ name }: Document) => name)))
    for (const path of [environment['ENGINE_PLATFORM_DATA_DIR'], environment['ENGINE_PLATFORM_SECRET_KEY_FILE']])
      expect(mounts.some(({ mountPath }) => path === mountPath || path?.startsWith(`${mountPath}/`))).toBe(true)
  })

  test('everything but the secrets can be applied repeatedly, and the image has the version', () => {
    const [{ resources, images }] = documents(`${FOLDER}/kubernetes/kustomization.yaml`) as [Document]
    const applied = MANIFESTS.filter((file) => !file.includes('/example/'))
    expect(resources).toEqual(applied.map((file) => basename(file)))
    expect(applied.flatMap(documents).map(({ kind }) => kind)).not.toContain('Secret')
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(container.image).toBe(`${images[0].name}:${version}`)
    expect(compose.services.platform.image).toBe(container.image)
    expect(images[0].newTag).toBe(version)
  })
})

describe('the unit', () => {
  test('starts the program, gives it time to end, and lets V8 compile', () => {
    const [program = ''] = settings('ExecStart')
    expect(existsSync(program.replace('/opt/engine', ROOT))).toBe(true)
    expect(Number(settings('TimeoutStopSec')[0])).toBeGreaterThan(OPTIONS.shutdownTimeoutSecs.initial)
    expect(settings('MemoryDenyWriteExecute')).toEqual([])
  })

  test('is started again until it runs, but with wrong options', () => {
    expect([settings('Restart'), settings('RestartPreventExitStatus')]).toEqual([['always'], ['2']])
  })
})

test('the proxy waits longer than a heartbeat is held, stores nothing, and takes no address from clients', () => {
  const text = read(`${FOLDER}/nginx.conf`)
  const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1])
  expect(seconds).toBeGreaterThan(25 + OPTIONS.requestTimeoutSecs.initial)
  expect(text).toMatch(/proxy_buffering off;/)
  expect(text).toMatch(/X-Forwarded-For \$remote_addr;/)
  expect(Number(/client_max_body_size (\d+)m;/.exec(text)?.[1]) * 1024 * 1024).toBe(OPTIONS.maxRequestBodyBytes.initial)
})

describe('alerts', () => {
  const rules = valuesOf('rules', documents(`${FOLDER}/alerts.yaml`)).flat() as readonly {
    readonly alert: string
    readonly annotations: { readonly runbook_url: string }
  }[]

  test('each has a section that says what to do, and no section is about another', () => {
    expect(rules.length).toBeGreaterThan(5)
    const headings = Array.from(read('docs/platform/alerts.md').matchAll(/^## (\w+)$/gm), ([, heading]) => heading)
    expect(headings).toEqual(rules.map(({ alert }) => alert))
    for (const { alert, annotations } of rules)
      expect(annotations.runbook_url).toBe(`docs/platform/alerts.md#${alert.toLowerCase()}`)
  })

  test('the job that they name is the one that scrapes', () => {
    const jobs = valuesOf('scrape_configs', documents(`${FOLDER}/scrape.yaml`)).flat() as readonly Document[]
    const names = jobs.map(({ job_name: name, relabel_configs: labels = [] }) =>
      labels.reduce((last: string, one: Document) => (one.target_label === 'job' ? one.replacement : last), name),
    )
    expect(names).toEqual(['engine-platform', 'engine-platform'])
  })
})

describe('a platform that runs', () => {
  const database = useDatabase('embedded')
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform(database())
  })
  afterAll(() => platform.stop())

  test('answers the probes and the health check of the image', async () => {
    const probes = objects.flatMap((one) => valuesOf('httpGet', one)) as readonly { path: string; port: string }[]
    expect(new Set(probes.map(({ path }) => path))).toEqual(new Set(['/healthz/live', '/healthz/proxy']))
    for (const { path } of probes) expect((await fetch(platform.url + path)).status).toBe(200)
    const [, words = '[]'] = /^ +CMD (\[.*\])$/m.exec(DOCKERFILE) ?? []
    const [program = '', ...args] = JSON.parse(words) as readonly string[]
    const check = async (port: string) => {
      const given = args.map((arg) => arg.replace(':3001', `:${port}`))
      expect(given).not.toEqual(args)
      await promisify(execFile)(join(ROOT, 'node_modules/.bin', program), given)
    }
    await check(new URL(platform.url).port)
    await expect(check('1')).rejects.toThrow('Command failed')
  })

  test('has the metrics that dashboard and alerts use, and each of its own is on the dashboard', async () => {
    const text = await (await fetch(`${platform.url}/metrics`)).text()
    const types = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) => [name, type] as const)
    const known = new Set(
      types.flatMap(([name, type]) =>
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
      ),
    )
    const dashboard: unknown = JSON.parse(read(`${FOLDER}/dashboard.json`))
    const alerts = documents(`${FOLDER}/alerts.yaml`)
    const asked = [...valuesOf('expr', [dashboard, alerts]), ...valuesOf('definition', dashboard)] as readonly string[]
    const names = asked.flatMap((one) => one.match(/\b(?:engine_platform|process|nodejs)_\w+/g) ?? [])
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) expect(known, name).toContain(name)
    const all = names.join(' ')
    for (const [name] of types) if (name.startsWith('engine_platform_')) expect(all).toContain(name)
    for (const expression of valuesOf('expr', dashboard) as readonly string[])
      expect(expression, expression).toContain('job=~"$job"')
  })
})
